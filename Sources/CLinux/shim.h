// What Swift's Glibc overlay leaves out: epoll and eventfd. Declarations only: this header must not define
// _GNU_SOURCE, which would make its types clash with the overlay's.
#ifndef RIBSERVER_CLINUX_H
#define RIBSERVER_CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>

#endif
