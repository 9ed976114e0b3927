// What the parts of the simulated disks share.
//
//   lying_disk.c  the VFS: SQLite's calls, the mounted disks, time and randomness
//   disk.c        disks: files, the directory, what is durable, and what a test may look at
//   power_cut.c   what a power cut leaves of the changes that are not durable
//   process.c     processes: kills and faults
//   locks.c       file locks, and the memory that processes share for a write-ahead log
#ifndef LYING_DISK_INTERNAL_H
#define LYING_DISK_INTERNAL_H

#include <sqlite3.h>

#include "lying_disk.h"

/// Bytes that grow, with room for more. All counts are at most SQLite's largest file offset.
struct rib_bytes {
  uint8_t *start;
  size_t count, capacity;
};

/// A change of a file that is not durable.
struct rib_change {
  bool is_truncation;
  /// Where the write begins; the new size, if this is a truncation.
  size_t offset;
  size_t count;
  /// Where the bytes of the write begin in the file's log.
  size_t log_offset;
};

/// How many locks the shared memory of a write-ahead log has.
#define RIB_SHM_LOCKS SQLITE_SHM_NLOCK

/// How many regions the shared memory may have: of 32 KiB each, for 4,096 pages of the log each.
#define RIB_SHM_REGIONS 32

struct rib_handle;

/// The memory that the handles of a file share for its write-ahead log.
struct rib_shm {
  /// Each handle has a mapping of its own, so that a kill can take it from the handle while SQLite still has its address.
  int descriptors[RIB_SHM_REGIONS];
  int count;
  size_t region_size;
  size_t users;
  unsigned sharers[RIB_SHM_LOCKS];
  struct rib_handle *owners[RIB_SHM_LOCKS];
};

/// A file, with or without a name.
struct rib_file {
  /// Entries of directories, changes of the directory, and handles.
  size_t references;
  struct rib_bytes present, durable;
  /// In their order; applied to the durable content, they give the present content.
  struct rib_change *changes;
  size_t change_count, change_capacity;
  /// The bytes of the writes among the changes.
  struct rib_bytes log;
  /// How many handles have a lock of any level.
  unsigned sharers;
  /// The handle with a lock above `SQLITE_LOCK_SHARED`.
  struct rib_handle *writer;
  struct rib_shm *shm;
};

struct rib_entry {
  char *name;
  /// Null in a change of the directory that is a deletion.
  struct rib_file *file;
};

/// Entries in the order of their creation; or changes of the directory in the order in which they were made.
struct rib_entries {
  struct rib_entry *items;
  size_t count, capacity;
};

struct rib_disk {
  /// Null if the disk is not mounted.
  char *prefix;
  size_t prefix_length;
  rib_disk *next_mounted;
  /// The changes, applied to the durable entries, give the present ones.
  struct rib_entries present, durable, changes;
  size_t handles, living_handles;
  uint64_t capacity;
  bool skips_sync, skips_directory_sync;
  uint64_t calls[RIB_CALL_KINDS], faults[RIB_CALL_KINDS];
  rib_disk_counters counters;
};

/// What SQLite has for an open file. SQLite gives the memory.
struct rib_handle {
  /// SQLite's part, which has to be the first.
  sqlite3_file base;
  rib_process *process;
  rib_disk *disk;
  struct rib_file *file;
  /// The neighbours among the handles of the process.
  struct rib_handle *previous, *next;
  /// One of `SQLITE_LOCK_NONE` to `SQLITE_LOCK_EXCLUSIVE`.
  int level;
  /// Whether the next sync of the file is one of the directory as well.
  bool syncs_directory;
  /// The memory that the handle shares; null before it maps any and after the death of its process.
  struct rib_shm *shm;
  /// What the handle has mapped; after the death of its process copies of its own.
  void *regions[RIB_SHM_REGIONS];
  int region_count;
  size_t region_size;
  /// The locks of the shared memory that the handle has, a bit each.
  unsigned shared_locks, exclusive_locks;
};

/// The fate of the calls of one kind.
struct rib_fate {
  /// How many calls go well before the first that fails.
  uint64_t wait;
  /// How many calls are still to fail; `UINT64_MAX` is for ever.
  uint64_t left;
  int code;
  bool is_short;
};

struct rib_process {
  bool is_dead;
  /// At which call from now the process is killed; 0 is none.
  uint64_t kill_after;
  struct rib_fate fates[RIB_CALL_KINDS];
  struct rib_handle *handles;
  size_t handle_count;
};

// MARK: lying_disk.c

/// Ends the program with a message, unless the condition holds.
void rib_require(bool condition, const char *message);

/// Allocates zeroed memory, or ends the program.
void *rib_allocate(size_t count, size_t size);

/// Makes room in an array for one item more; returns the array.
void *rib_reserve(void *items, size_t count, size_t *capacity, size_t size);

/// The next number of a generator (splitmix64), which keeps its state there.
uint64_t rib_random(uint64_t *state);

/// A number below `limit` for a choice at a fault or kill.
size_t rib_choose_below(size_t limit);

/// Notes that the thread acts for the process from now on, so that its next sleep is the process's.
void rib_note_caller(const rib_process *process);

/// Tells the simulator that a process pauses. The process may be dead afterwards.
void rib_pause_process(rib_process *process, rib_pause reason, uint32_t microseconds);

// MARK: disk.c

/// Gives the bytes a new count: cuts them off, or adds zeros.
void rib_bytes_resize(struct rib_bytes *bytes, size_t count);

/// Puts bytes at an offset; the count grows to hold them.
void rib_bytes_put(struct rib_bytes *bytes, size_t offset, const void *source, size_t count);

/// The file with a name; null if there is none.
struct rib_file *rib_entries_find(const struct rib_entries *entries, const char *name);
/// Applies a change of the directory to the entries.
void rib_entries_apply(struct rib_entries *entries, const struct rib_entry *change);
void rib_entries_clear(struct rib_entries *entries);

struct rib_file *rib_disk_create(rib_disk *disk, const char *name);
void rib_disk_delete(rib_disk *disk, const char *name);
void rib_disk_sync_directory(rib_disk *disk);
/// How many bytes of a write there is room for.
size_t rib_disk_room(const rib_disk *disk, const struct rib_file *file, size_t offset, size_t count);

void rib_file_write(struct rib_file *file, size_t offset, const void *bytes, size_t count);
void rib_file_truncate(struct rib_file *file, size_t size);
/// Makes all changes of a file durable.
void rib_file_sync(struct rib_file *file);
void rib_file_release(struct rib_file *file);

// MARK: process.c

/// What becomes of a call.
struct rib_outcome {
  /// `SQLITE_OK` if the call goes on.
  int code;
  /// Whether a part of the call has its effect although it fails.
  bool is_partial;
};

/// Begins a call of a process to a disk: counts it, and lets a kill or a fault come that is due.
struct rib_outcome rib_process_begin(rib_process *process, rib_disk *disk, rib_call call);

void rib_process_add(rib_process *process, struct rib_handle *handle);
void rib_process_remove(rib_process *process, struct rib_handle *handle);

// MARK: locks.c

/// Raises the lock of a handle. Returns `SQLITE_BUSY` if another handle's lock is in the way.
int rib_handle_lock(struct rib_handle *handle, int level);
void rib_handle_unlock(struct rib_handle *handle, int level);

/// Maps a region of the shared memory of the handle's file; `*memory` is null if the region is not there and not to be made.
int rib_handle_map(struct rib_handle *handle, int index, size_t size, bool extends, void volatile **memory);
/// Takes locks of the shared memory, or gives them back; `flags` are SQLite's.
int rib_handle_lock_shm(struct rib_handle *handle, int first, int count, int flags);
/// Ends the handle's part in the shared memory, with its locks. What it has mapped stays mapped, as copies of its own.
void rib_handle_leave_shm(struct rib_handle *handle);
/// Unmaps what the handle has mapped, at the end of its life.
void rib_handle_unmap(struct rib_handle *handle);

#endif
