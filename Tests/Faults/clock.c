// The wall clock of a daemon under test: the system's, and as many seconds more as a file says at the moment.
//
// Loaded before the C library (LD_PRELOAD), it has the daemon's calls of time(). RIB_TEST_CLOCK names the file: one number
// of 64 bits.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void find(void) {
  const char *path = getenv("RIB_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) shift = memory;
  close(file);
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time_t seconds = now.tv_sec + (shift ? (time_t)*shift : 0);
  if (result) *result = seconds;
  return seconds;
}
