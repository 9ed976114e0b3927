#ifndef LYING_DISK_H
#define LYING_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Simulated disks in memory below SQLite, for tests that repeat exactly from a seed.
///
/// The disks are an SQLite VFS, registered as the default one. A path below a mounted prefix belongs to a simulated disk; every
/// other path goes to the VFS that was the default before, unchanged and from any thread.
///
/// A write reaches the present content of a file at once, where every process sees it. It is durable only after a sync, and a
/// power cut keeps a part of the rest that its seed chooses. A simulated process is an opener of files: it can be killed, and its
/// calls can be made to fail.
///
/// Of everything that concerns a simulated disk or process only one thread may run at a time, and that is the caller's to see to.
/// For the same seeds and the same calls the disks then have the same bytes. SQLite has one random generator for the whole
/// program, and salts its write-ahead logs from it: a thread that uses it meanwhile, also for a database that is on no simulated
/// disk, changes those bytes.

/// A simulated disk: files with flat names.
typedef struct rib_disk rib_disk;

/// An opener of files, which lives until it is killed.
typedef struct rib_process rib_process;

/// The kinds of calls that can fail, and at which a process can be killed. What gives a lock back is none of them.
typedef enum rib_call {
  RIB_CALL_OPEN,
  RIB_CALL_READ,
  RIB_CALL_WRITE,
  RIB_CALL_SYNC,
  RIB_CALL_TRUNCATE,
  RIB_CALL_LOCK,
  RIB_CALL_SHM_MAP,
  RIB_CALL_SHM_LOCK,
  RIB_CALL_DELETE,
  RIB_CALL_FILE_SIZE,
  /// The question whether a file exists.
  RIB_CALL_ACCESS,
} rib_call;

/// How many kinds of calls there are.
#define RIB_CALL_KINDS 11

/// Why a process pauses.
typedef enum rib_pause {
  /// A sync of a file with changes that are not durable is about to begin.
  RIB_PAUSE_SYNC,
  /// The process sleeps, most often because a lock is taken.
  RIB_PAUSE_SLEEP,
} rib_pause;

/// A series of calls of one kind that fail.
typedef struct rib_fault {
  rib_call call;
  /// Which call from now is the first to fail; 1 is the next.
  uint64_t first;
  /// How many calls fail, one after the other; 0 is for ever.
  uint64_t count;
  /// The SQLite result code of the calls that fail, such as `SQLITE_IOERR_WRITE`, `SQLITE_FULL` or `SQLITE_BUSY`.
  int code;
  /// Whether a call does a part of its work before it fails: a write writes a prefix, and a read reads one and fills the rest
  /// with zeros. With `SQLITE_IOERR_SHORT_READ` SQLite takes the zeros for what is in the file.
  bool is_short;
} rib_fault;

/// What a disk has counted beside its calls and faults.
typedef struct rib_disk_counters {
  uint64_t bytes_written;
  /// Syncs of files that made changes durable.
  uint64_t syncs;
  /// Syncs of the directory, whether it had changes or not.
  uint64_t directory_syncs;
  uint64_t power_cuts;
  /// Sectors of writes that were lost at power cuts.
  uint64_t sectors_dropped;
  /// Writes of which some sectors survived a power cut and others did not.
  uint64_t writes_torn;
  /// Changes of the directory that were lost at power cuts.
  uint64_t entries_dropped;
} rib_disk_counters;

// MARK: All disks

/// Registers the disks as SQLite's default VFS; only the first call does anything. It comes before any disk is mounted.
///
/// Returns SQLite's result code.
int rib_disks_register(void);

/// Seeds the choices that are made at faults and kills and the random numbers that SQLite asks for, and has SQLite's own random
/// generator start anew from them.
void rib_disks_seed(uint64_t seed);

/// Sets the time that SQLite is told, in milliseconds since 1970. Until the first call, and after a negative time, it is the
/// system's. It is the same for databases that are on no simulated disk.
void rib_disks_set_clock(int64_t milliseconds);

/// Sets what is called when a process pauses; null is nothing, and a sleep then takes no time at all.
///
/// The callback may use other processes, kill any, cut the power, and move the clock. Afterwards the process that paused is the
/// current one again; if it is dead, its call fails. `microseconds` is how long a sleep is to take, and 0 at a sync. A sleep is a
/// process's if the process is the current one and the thread's last call to a simulated disk was the process's; other sleeps are
/// the system's.
void rib_disks_on_pause(
    void (*_Nullable on_pause)(
        void *_Nullable context, rib_process *process, rib_pause reason, uint32_t microseconds),
    void *_Nullable context);

// MARK: Disks

/// Returns a new empty disk, which is not mounted.
rib_disk *rib_disk_make(void);

/// Returns a new disk with the durable content of `disk`, which is not mounted. Options and counters are those of a new disk.
///
/// A database that has been closed in good order is not all durable: SQLite deletes the journal or log with no sync of the
/// directory, and so a copy would have it still. `rib_disk_sync` comes first for a disk that is a template.
rib_disk *rib_disk_copy(const rib_disk *disk);

/// Unmounts and frees a disk; no handle may be open on it.
void rib_disk_free(rib_disk *disk);

/// Makes the files of a disk those below a prefix: with "/disk", "/disk/a.db" is the file "a.db". The disk may not be mounted
/// already, and no other may be at the prefix.
void rib_disk_mount(rib_disk *disk, const char *prefix);

/// Ends the mount of a disk, if it is mounted. Handles of dead processes may be open on it still; SQLite would look for the files of
/// others in vain.
void rib_disk_unmount(rib_disk *disk);

/// Returns how many handles are open on the disk, those of dead processes included.
size_t rib_disk_open_handles(const rib_disk *disk);

/// Sets how many bytes the files may have together; 0 is no limit. A write beyond it writes what fits, and fails with
/// `SQLITE_FULL`.
void rib_disk_set_capacity(rib_disk *disk, uint64_t bytes);

/// Sets whether the disk lies about syncs: they succeed and make nothing durable, neither of files nor of the directory.
void rib_disk_set_skips_sync(rib_disk *disk, bool skips);

/// Sets whether syncs of the directory succeed and make nothing durable.
void rib_disk_set_skips_directory_sync(rib_disk *disk, bool skips);

/// Makes all changes durable, as a machine that is shut down in good order does; also where the disk is set to skip syncs.
void rib_disk_sync(rib_disk *disk);

/// Cuts the power; every process with a handle on the disk must be dead.
///
/// Each file keeps its durable content and, of its other changes, what the seed chooses: nothing, everything, the first ones, or
/// each sector of 512 bytes of each write, each truncation and each growth by its own draw. Of the changes of the directory the
/// first ones survive, as many as the seed chooses. What is left is durable.
void rib_disk_cut_power(rib_disk *disk, uint64_t seed);

// MARK: Content

/// Returns how many files the disk has at present.
size_t rib_disk_file_count(const rib_disk *disk);

/// Returns the name of the file at an index, in the order of creation; null beyond the last. It is valid until the file is
/// deleted or the power is cut.
const char *_Nullable rib_disk_file_name(const rib_disk *disk, size_t index);

/// Returns the present size of a file in bytes; -1 if there is no such file.
int64_t rib_disk_file_size(const rib_disk *disk, const char *name);

/// Copies a part of the present content of a file, as far as the file goes.
///
/// Returns how many bytes it has copied; 0 if there is no such file.
size_t rib_disk_read(const rib_disk *disk, const char *name, uint64_t offset, void *bytes, size_t count);

/// Damages a file: overwrites a part of it, as far as the file goes. No power cut brings the former bytes back.
///
/// Returns how many bytes it has overwritten; 0 if there is no such file.
size_t rib_disk_damage(rib_disk *disk, const char *name, uint64_t offset, const void *bytes, size_t count);

// MARK: Counters

/// Returns how many calls of a kind there have been; those of dead processes do not count.
uint64_t rib_disk_calls(const rib_disk *disk, rib_call call);

/// Returns how many calls of a kind a fault has made fail.
uint64_t rib_disk_faults(const rib_disk *disk, rib_call call);

/// Returns what else the disk has counted.
rib_disk_counters rib_disk_counted(const rib_disk *disk);

// MARK: Processes

/// Returns a new process, which lives.
rib_process *rib_process_make(void);

/// Frees a process; none of its handles may be open.
void rib_process_free(rib_process *process);

/// Makes a process the current one, to which the files belong that are opened from now on; null is none, and nothing on a
/// simulated disk may then be opened, deleted or looked for.
///
/// A process has to be the current one whenever a database connection of the process is used, also when a connection of a dead
/// process is closed: SQLite opens, deletes and looks for files with no handle that would tell whose call it is.
void rib_process_enter(rib_process *_Nullable process);

/// Returns the current process; null if there is none.
rib_process *_Nullable rib_process_current(void);

/// Kills a process, if it is not dead: its locks are released and its calls fail from now on. What it has written stays in the
/// present content. Its handles have to be closed all the same, which only frees them.
void rib_process_kill(rib_process *process);

/// Kills a process at its n-th call from now, of any kind; 1 is the next, and 0 takes an earlier order back. The call has no
/// effect, but that a write may have written a prefix.
void rib_process_kill_after(rib_process *process, uint64_t calls);

/// Returns whether a process is dead.
bool rib_process_is_dead(const rib_process *process);

/// Returns how many handles of a process are open.
size_t rib_process_open_handles(const rib_process *process);

/// Makes calls of a process fail, in place of an earlier fault for the same kind of call.
void rib_process_fail(rib_process *process, rib_fault fault);

/// Takes all faults of a process back, those that have not come included.
void rib_process_heal(rib_process *process);

#pragma clang assume_nonnull end

#endif
