// The VFS: SQLite's calls, the mounted disks, time and randomness.
#include "lying_disk.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static struct {
  sqlite3_vfs vfs;
  /// The VFS that was the default before.
  sqlite3_vfs *base;
  /// Guards the list of mounted disks, which every thread looks through.
  sqlite3_mutex *mutex;
  rib_disk *mounted;
  _Atomic(rib_process *) current;
  /// Milliseconds since 1970; negative while the time is the system's.
  _Atomic int64_t clock;
  _Atomic uint64_t choices, randomness;
  void (*on_pause)(void *, rib_process *, rib_pause, uint32_t);
  void *context;
} disks = {.clock = -1};

/// The process for which the thread has called a simulated disk last.
static _Thread_local const rib_process *caller;

// MARK: Memory

void rib_require(bool condition, const char *message) {
  if (condition) return;
  fprintf(stderr, "lying disk: %s\n", message);
  abort();
}

void *rib_allocate(size_t count, size_t size) {
  void *result = calloc(count, size);
  rib_require(result, "no memory");
  return result;
}

void *rib_reserve(void *items, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return items;
  *capacity = *capacity ? 2 * *capacity : 16;
  items = realloc(items, *capacity * size);
  rib_require(items, "no memory");
  return items;
}

// MARK: Randomness

static const uint64_t step = 0x9E3779B97F4A7C15;

static uint64_t mix(uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

uint64_t rib_random(uint64_t *state) { return mix(*state += step); }

static uint64_t shared_random(_Atomic uint64_t *state) { return mix(atomic_fetch_add(state, step) + step); }

size_t rib_choose_below(size_t limit) { return shared_random(&disks.choices) % limit; }

void rib_disks_seed(uint64_t seed) {
  // Apart, so that what SQLite asks for does not move the choices.
  disks.choices = rib_random(&seed);
  disks.randomness = rib_random(&seed);
  sqlite3_randomness(0, NULL);
}

static int give_randomness(sqlite3_vfs *, int count, char *bytes) {
  for (int i = 0; i < count; i++) bytes[i] = (char)shared_random(&disks.randomness);
  return count;
}

// MARK: Processes and time

void rib_process_enter(rib_process *process) { disks.current = process; }

rib_process *rib_process_current(void) { return disks.current; }

void rib_note_caller(const rib_process *process) { caller = process; }

void rib_disks_on_pause(void (*on_pause)(void *, rib_process *, rib_pause, uint32_t), void *context) {
  disks.on_pause = on_pause;
  disks.context = context;
}

void rib_pause_process(rib_process *process, rib_pause reason, uint32_t microseconds) {
  if (!disks.on_pause) return;
  disks.on_pause(disks.context, process, reason, microseconds);
  rib_process_enter(process);
  rib_note_caller(process);
}

static int sleep_for(sqlite3_vfs *, int microseconds) {
  rib_process *process = rib_process_current();
  if (!process || caller != process) return disks.base->xSleep(disks.base, microseconds);
  if (!process->is_dead) rib_pause_process(process, RIB_PAUSE_SLEEP, (uint32_t)microseconds);
  return microseconds;
}

void rib_disks_set_clock(int64_t milliseconds) { disks.clock = milliseconds; }

/// The time in milliseconds since the beginning of the Julian days, in 4714 BC.
static int current_time(sqlite3_vfs *, sqlite3_int64 *time) {
  int64_t clock = disks.clock;
  if (clock < 0) return disks.base->xCurrentTimeInt64(disks.base, time);
  *time = clock + 210866760000000;
  return SQLITE_OK;
}

static int current_days(sqlite3_vfs *vfs, double *days) {
  sqlite3_int64 time;
  int code = current_time(vfs, &time);
  if (code == SQLITE_OK) *days = (double)time / 86400000;
  return code;
}

// MARK: Mounts

/// Whether a path is below the prefix of a disk; then `*name` is the file's name.
static bool is_below(const rib_disk *disk, const char *path, const char **name) {
  if (strncmp(path, disk->prefix, disk->prefix_length) != 0 || path[disk->prefix_length] != '/') return false;
  *name = path + disk->prefix_length + 1;
  return true;
}

/// The disk with a path; null if the path is on no simulated disk.
static rib_disk *find_disk(const char *path, const char **name) {
  if (!path) return NULL;
  sqlite3_mutex_enter(disks.mutex);
  rib_disk *disk = disks.mounted;
  while (disk && !is_below(disk, path, name)) disk = disk->next_mounted;
  sqlite3_mutex_leave(disks.mutex);
  return disk;
}

void rib_disk_mount(rib_disk *disk, const char *prefix) {
  rib_require(disks.base, "a disk is mounted before the disks are registered");
  rib_require(!disk->prefix, "a disk is mounted that is mounted already");
  disk->prefix = strdup(prefix);
  rib_require(disk->prefix, "no memory for the prefix of a disk");
  disk->prefix_length = strlen(prefix);
  sqlite3_mutex_enter(disks.mutex);
  for (const rib_disk *other = disks.mounted; other; other = other->next_mounted)
    rib_require(strcmp(other->prefix, prefix) != 0, "two disks are mounted at one prefix");
  disk->next_mounted = disks.mounted;
  disks.mounted = disk;
  sqlite3_mutex_leave(disks.mutex);
}

void rib_disk_unmount(rib_disk *disk) {
  if (!disk->prefix) return;
  sqlite3_mutex_enter(disks.mutex);
  rib_disk **link = &disks.mounted;
  while (*link != disk) link = &(*link)->next_mounted;
  *link = disk->next_mounted;
  sqlite3_mutex_leave(disks.mutex);
  free(disk->prefix);
  disk->prefix = NULL;
}

// MARK: Calls of a handle

static struct rib_handle *handle_of(sqlite3_file *file) { return (struct rib_handle *)file; }

static struct rib_outcome begin(struct rib_handle *handle, rib_call call) {
  return rib_process_begin(handle->process, handle->disk, call);
}

static int close_file(sqlite3_file *base) {
  struct rib_handle *handle = handle_of(base);
  rib_handle_unlock(handle, SQLITE_LOCK_NONE);
  rib_handle_unmap(handle);
  rib_handle_leave_shm(handle);
  rib_process_remove(handle->process, handle);
  rib_file_release(handle->file);
  base->pMethods = NULL;
  return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  struct rib_handle *handle = handle_of(base);
  struct rib_outcome outcome = begin(handle, RIB_CALL_READ);
  size_t wanted = (size_t)count, start = (size_t)offset, size = handle->file->present.count;
  size_t part = start >= size ? 0 : size - start < wanted ? size - start : wanted;
  if (outcome.code != SQLITE_OK) part = outcome.is_partial ? rib_choose_below(part + 1) : 0;
  if (part > 0) memcpy(bytes, handle->file->present.start + start, part);
  memset((char *)bytes + part, 0, wanted - part);
  if (outcome.code != SQLITE_OK) return outcome.code;
  return part < wanted ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int write_file(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  struct rib_handle *handle = handle_of(base);
  struct rib_outcome outcome = begin(handle, RIB_CALL_WRITE);
  size_t part = (size_t)count;
  if (outcome.code != SQLITE_OK) part = outcome.is_partial ? rib_choose_below(part + 1) : 0;
  size_t room = rib_disk_room(handle->disk, handle->file, (size_t)offset, part);
  if (room < part) {
    part = room;
    if (outcome.code == SQLITE_OK) outcome.code = SQLITE_FULL;
  }
  rib_file_write(handle->file, (size_t)offset, bytes, part);
  handle->disk->counters.bytes_written += part;
  return outcome.code;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
  struct rib_handle *handle = handle_of(base);
  int code = begin(handle, RIB_CALL_TRUNCATE).code;
  if (code == SQLITE_OK) rib_file_truncate(handle->file, (size_t)size);
  return code;
}

static int sync_file(sqlite3_file *base, int) {
  struct rib_handle *handle = handle_of(base);
  rib_disk *disk = handle->disk;
  rib_note_caller(handle->process);
  bool has_changes = handle->file->change_count > 0 || (handle->syncs_directory && disk->changes.count > 0);
  if (has_changes && !handle->process->is_dead) rib_pause_process(handle->process, RIB_PAUSE_SYNC, 0);
  int code = begin(handle, RIB_CALL_SYNC).code;
  if (code != SQLITE_OK) return code;
  if (handle->file->change_count > 0 && !disk->skips_sync) {
    rib_file_sync(handle->file);
    disk->counters.syncs++;
  }
  if (handle->syncs_directory) rib_disk_sync_directory(disk);
  handle->syncs_directory = false;
  return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  struct rib_handle *handle = handle_of(base);
  int code = begin(handle, RIB_CALL_FILE_SIZE).code;
  if (code == SQLITE_OK) *size = (sqlite3_int64)handle->file->present.count;
  return code;
}

static int lock_file(sqlite3_file *base, int level) {
  int code = begin(handle_of(base), RIB_CALL_LOCK).code;
  return code == SQLITE_OK ? rib_handle_lock(handle_of(base), level) : code;
}

static int unlock_file(sqlite3_file *base, int level) {
  if (handle_of(base)->process->is_dead) return SQLITE_IOERR_UNLOCK;
  rib_handle_unlock(handle_of(base), level);
  return SQLITE_OK;
}

static int check_reserved_lock(sqlite3_file *base, int *is_reserved) {
  if (handle_of(base)->process->is_dead) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  *is_reserved = handle_of(base)->file->writer != NULL;
  return SQLITE_OK;
}

static int control_file(sqlite3_file *, int, void *) { return SQLITE_NOTFOUND; }

static int sector_size(sqlite3_file *) { return 4096; }

static int device_characteristics(sqlite3_file *) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static int map_shm(sqlite3_file *base, int index, int size, int extends, void volatile **memory) {
  int code = begin(handle_of(base), RIB_CALL_SHM_MAP).code;
  *memory = NULL;
  return code == SQLITE_OK ? rib_handle_map(handle_of(base), index, (size_t)size, extends, memory) : code;
}

static int lock_shm(sqlite3_file *base, int first, int count, int flags) {
  struct rib_handle *handle = handle_of(base);
  int code = SQLITE_OK;
  if (!(flags & SQLITE_SHM_UNLOCK))
    code = begin(handle, RIB_CALL_SHM_LOCK).code;
  else if (handle->process->is_dead)
    code = SQLITE_IOERR_SHMLOCK;
  return code == SQLITE_OK ? rib_handle_lock_shm(handle, first, count, flags) : code;
}

static void order_shm(sqlite3_file *) { atomic_thread_fence(memory_order_seq_cst); }

static int unmap_shm(sqlite3_file *base, int) {
  // The flag that asks for the file to be deleted says nothing new: the memory goes with its last user.
  rib_handle_unmap(handle_of(base));
  rib_handle_leave_shm(handle_of(base));
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
    .xShmMap = map_shm,
    .xShmLock = lock_shm,
    .xShmBarrier = order_shm,
    .xShmUnmap = unmap_shm,
};

// MARK: Calls with a path

/// Begins a call of the current process.
static int begin_current(rib_disk *disk, rib_call call) {
  rib_process *process = rib_process_current();
  rib_require(process, "a file of a simulated disk is used while no process is the current one");
  return rib_process_begin(process, disk, call).code;
}

static int open_file(sqlite3_vfs *, const char *path, sqlite3_file *base, int flags, int *flags_out) {
  const char *name;
  rib_disk *disk = find_disk(path, &name);
  if (!disk) return disks.base->xOpen(disks.base, path, base, flags, flags_out);
  base->pMethods = NULL;
  int code = begin_current(disk, RIB_CALL_OPEN);
  if (code != SQLITE_OK) return code;
  struct rib_file *file = rib_entries_find(&disk->present, name);
  if (file ? (flags & SQLITE_OPEN_EXCLUSIVE) : !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
  if (!file) file = rib_disk_create(disk, name);
  file->references++;
  // As os_unix.c has it: whoever opens a journal so that it may be created syncs the directory with the first sync of it.
  int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
  struct rib_handle *handle = handle_of(base);
  *handle = (struct rib_handle){
      .base.pMethods = &methods,
      .process = rib_process_current(),
      .disk = disk,
      .file = file,
      .syncs_directory = (flags & SQLITE_OPEN_CREATE) && (flags & journals),
  };
  rib_process_add(handle->process, handle);
  if (flags_out) *flags_out = flags;
  return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *, const char *path, int syncs_directory) {
  const char *name;
  rib_disk *disk = find_disk(path, &name);
  if (!disk) return disks.base->xDelete(disks.base, path, syncs_directory);
  int code = begin_current(disk, RIB_CALL_DELETE);
  if (code != SQLITE_OK) return code;
  if (!rib_entries_find(&disk->present, name)) return SQLITE_IOERR_DELETE_NOENT;
  rib_disk_delete(disk, name);
  if (syncs_directory) rib_disk_sync_directory(disk);
  return SQLITE_OK;
}

static int access_file(sqlite3_vfs *, const char *path, int flags, int *result) {
  const char *name;
  rib_disk *disk = find_disk(path, &name);
  if (!disk) return disks.base->xAccess(disks.base, path, flags, result);
  int code = begin_current(disk, RIB_CALL_ACCESS);
  if (code != SQLITE_OK) return code;
  const struct rib_file *file = rib_entries_find(&disk->present, name);
  // As os_unix.c has it: SQLite takes an empty file for none.
  *result = file && (flags != SQLITE_ACCESS_EXISTS || file->present.count > 0);
  return SQLITE_OK;
}

static int full_path(sqlite3_vfs *, const char *path, int size, char *result) {
  const char *name;
  if (!find_disk(path, &name)) return disks.base->xFullPathname(disks.base, path, size, result);
  return snprintf(result, (size_t)size, "%s", path) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

// MARK: Calls that are the system's

static void *open_library(sqlite3_vfs *, const char *path) { return disks.base->xDlOpen(disks.base, path); }

static void library_error(sqlite3_vfs *, int count, char *message) {
  disks.base->xDlError(disks.base, count, message);
}

static void (*library_symbol(sqlite3_vfs *, void *library, const char *name))(void) {
  return disks.base->xDlSym(disks.base, library, name);
}

static void close_library(sqlite3_vfs *, void *library) { disks.base->xDlClose(disks.base, library); }

static int last_error(sqlite3_vfs *, int count, char *message) {
  return disks.base->xGetLastError(disks.base, count, message);
}

static int set_system_call(sqlite3_vfs *, const char *name, sqlite3_syscall_ptr call) {
  return disks.base->xSetSystemCall(disks.base, name, call);
}

static sqlite3_syscall_ptr system_call(sqlite3_vfs *, const char *name) {
  return disks.base->xGetSystemCall(disks.base, name);
}

static const char *next_system_call(sqlite3_vfs *, const char *name) {
  return disks.base->xNextSystemCall(disks.base, name);
}

int rib_disks_register(void) {
  if (disks.base) return SQLITE_OK;
  sqlite3_vfs *base = sqlite3_vfs_find(NULL);
  if (!base || base->iVersion < 3) return SQLITE_ERROR;
  disks.base = base;
  disks.mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_VFS3);
  int size = sizeof(struct rib_handle);
  disks.vfs = (sqlite3_vfs){
      .iVersion = 3,
      .szOsFile = base->szOsFile > size ? base->szOsFile : size,
      .mxPathname = base->mxPathname,
      .zName = "lying-disk",
      .xOpen = open_file,
      .xDelete = delete_file,
      .xAccess = access_file,
      .xFullPathname = full_path,
      .xDlOpen = open_library,
      .xDlError = library_error,
      .xDlSym = library_symbol,
      .xDlClose = close_library,
      .xRandomness = give_randomness,
      .xSleep = sleep_for,
      .xCurrentTime = current_days,
      .xGetLastError = last_error,
      .xCurrentTimeInt64 = current_time,
      .xSetSystemCall = set_system_call,
      .xGetSystemCall = system_call,
      .xNextSystemCall = next_system_call,
  };
  return sqlite3_vfs_register(&disks.vfs, 1);
}
