// File locks, and the memory that processes share for a write-ahead log.
//
// Each handle has mappings of its own of the shared memory, as each process of a real system has: a process that is dead may
// still run SQLite's code for a while, and writes then to copies that nobody else sees.
#define _GNU_SOURCE
#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// MARK: File locks

int rib_handle_lock(struct rib_handle *handle, int level) {
  struct rib_file *file = handle->file;
  if (level <= handle->level) return SQLITE_OK;
  struct rib_handle *other = file->writer == handle ? NULL : file->writer;
  if (level == SQLITE_LOCK_SHARED) {
    if (other && other->level >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
    file->sharers++;
    handle->level = level;
    return SQLITE_OK;
  }
  if (other) return SQLITE_BUSY;
  if (level == SQLITE_LOCK_EXCLUSIVE && file->sharers > 1) {
    // Lets no more handles share the file, so that the next attempt finds fewer of them.
    if (handle->level == SQLITE_LOCK_RESERVED) handle->level = SQLITE_LOCK_PENDING;
    return SQLITE_BUSY;
  }
  file->writer = handle;
  handle->level = level;
  return SQLITE_OK;
}

void rib_handle_unlock(struct rib_handle *handle, int level) {
  if (handle->level <= level) return;
  struct rib_file *file = handle->file;
  if (file->writer == handle) file->writer = NULL;
  if (level == SQLITE_LOCK_NONE) file->sharers--;
  handle->level = level;
}

// MARK: Shared memory

static int make_descriptor(size_t size) {
#ifdef __linux__
  int descriptor = memfd_create("wal-index", MFD_CLOEXEC);
#else
  static unsigned counter;
  char name[32];
  snprintf(name, sizeof name, "/rib-%d-%u", (int)getpid(), counter++);
  int descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (descriptor >= 0) shm_unlink(name);
#endif
  if (descriptor >= 0 && ftruncate(descriptor, (off_t)size) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

/// Makes the regions up to an index, all zeros.
static int extend(struct rib_shm *shm, int index) {
  for (; shm->count <= index; shm->count++) {
    int descriptor = make_descriptor(shm->region_size);
    if (descriptor < 0) return SQLITE_IOERR_SHMSIZE;
    shm->descriptors[shm->count] = descriptor;
  }
  return SQLITE_OK;
}

static void join(struct rib_handle *handle, size_t region_size) {
  if (handle->shm) return;
  struct rib_file *file = handle->file;
  if (!file->shm) {
    file->shm = rib_allocate(1, sizeof *file->shm);
    file->shm->region_size = region_size;
  }
  handle->shm = file->shm;
  handle->shm->users++;
}

int rib_handle_map(struct rib_handle *handle, int index, size_t size, bool extends, void volatile **memory) {
  *memory = NULL;
  if (index >= RIB_SHM_REGIONS) return SQLITE_IOERR_SHMSIZE;
  join(handle, size);
  struct rib_shm *shm = handle->shm;
  if (index >= shm->count) {
    if (!extends) return SQLITE_OK;
    int code = extend(shm, index);
    if (code != SQLITE_OK) return code;
  }
  handle->region_size = shm->region_size;
  for (; handle->region_count <= index; handle->region_count++) {
    int descriptor = shm->descriptors[handle->region_count];
    void *region = mmap(NULL, shm->region_size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (region == MAP_FAILED) return SQLITE_IOERR_SHMMAP;
    handle->regions[handle->region_count] = region;
  }
  *memory = handle->regions[index];
  return SQLITE_OK;
}

static void unlock_shm(struct rib_handle *handle, unsigned mask) {
  struct rib_shm *shm = handle->shm;
  for (int i = 0; i < RIB_SHM_LOCKS; i++) {
    unsigned bit = 1u << i & mask;
    if (handle->shared_locks & bit) shm->sharers[i]--;
    if (handle->exclusive_locks & bit) shm->owners[i] = NULL;
  }
  handle->shared_locks &= ~mask;
  handle->exclusive_locks &= ~mask;
}

static int take_shm(struct rib_handle *handle, int first, int count, bool is_shared) {
  struct rib_shm *shm = handle->shm;
  for (int i = first; i < first + count; i++) {
    unsigned bit = 1u << i;
    if (shm->owners[i] && shm->owners[i] != handle) return SQLITE_BUSY;
    unsigned own = (handle->shared_locks & bit) ? 1 : 0;
    if (!is_shared && shm->sharers[i] > own) return SQLITE_BUSY;
  }
  for (int i = first; i < first + count; i++) {
    unsigned bit = 1u << i;
    if (!is_shared) {
      shm->owners[i] = handle;
      handle->exclusive_locks |= bit;
    } else if (!(handle->shared_locks & bit)) {
      shm->sharers[i]++;
      handle->shared_locks |= bit;
    }
  }
  return SQLITE_OK;
}

int rib_handle_lock_shm(struct rib_handle *handle, int first, int count, int flags) {
  if (!handle->shm) return SQLITE_IOERR_SHMLOCK;
  if (!(flags & SQLITE_SHM_UNLOCK)) return take_shm(handle, first, count, flags & SQLITE_SHM_SHARED);
  unlock_shm(handle, ((1u << count) - 1) << first);
  return SQLITE_OK;
}

/// Puts a copy in place of each shared region, at the same address.
static void make_private(struct rib_handle *handle) {
  void *copy = rib_allocate(1, handle->region_size);
  for (int i = 0; i < handle->region_count; i++) {
    memcpy(copy, handle->regions[i], handle->region_size);
    void *region = mmap(
        handle->regions[i], handle->region_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    rib_require(region != MAP_FAILED, "no memory for a copy of what a dead process has shared");
    memcpy(region, copy, handle->region_size);
  }
  free(copy);
}

void rib_handle_leave_shm(struct rib_handle *handle) {
  struct rib_shm *shm = handle->shm;
  if (!shm) return;
  if (handle->region_count > 0) make_private(handle);
  unlock_shm(handle, ~0u);
  handle->shm = NULL;
  if (--shm->users > 0) return;
  for (int i = 0; i < shm->count; i++) close(shm->descriptors[i]);
  handle->file->shm = NULL;
  free(shm);
}

void rib_handle_unmap(struct rib_handle *handle) {
  for (int i = 0; i < handle->region_count; i++) munmap(handle->regions[i], handle->region_size);
  handle->region_count = 0;
}
