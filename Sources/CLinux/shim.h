// What Swift's Glibc overlay leaves out: epoll, eventfd, accept4, requests to a socket, the environment, and malloc_trim. This header must not define _GNU_SOURCE, which would
// make its types clash with the overlay's; so accept4 is declared here.
#ifndef RIBSERVER_CLINUX_H
#define RIBSERVER_CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <sys/ioctl.h>
// Not by <sys/socket.h>, whose types have to stay Glibc's.
struct sockaddr;
extern int accept4(int, struct sockaddr *, unsigned int *, int);

// Accepts a connection that has these flags from its first moment.
static inline int rib_accept(int listening, int flags) { return accept4(listening, 0, 0, flags); }

// The environment for a program that is started: Swift does not let a global variable of C be read.
static inline char **rib_environment(void) {
  extern char **environ;
  return environ;
}

// Bytes that were given to the socket and that its peer has not acknowledged; -1 with errno.
static inline int rib_unacknowledged(int descriptor) {
  int count;
  return ioctl(descriptor, SIOCOUTQ, &count) == 0 ? count : -1;
}

#endif
