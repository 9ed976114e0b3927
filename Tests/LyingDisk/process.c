// Processes: which handles are theirs, kills, and calls that fail.
#include "internal.h"

#include <stdlib.h>

rib_process *rib_process_make(void) { return rib_allocate(1, sizeof(rib_process)); }

void rib_process_free(rib_process *process) {
  rib_require(process->handle_count == 0, "a process is freed with handles open");
  if (rib_process_current() == process) rib_process_enter(NULL);
  free(process);
}

bool rib_process_is_dead(const rib_process *process) { return process->is_dead; }

size_t rib_process_open_handles(const rib_process *process) { return process->handle_count; }

void rib_process_add(rib_process *process, struct rib_handle *handle) {
  handle->next = process->handles;
  if (handle->next) handle->next->previous = handle;
  process->handles = handle;
  process->handle_count++;
  handle->disk->handles++;
  handle->disk->living_handles++;
}

void rib_process_remove(rib_process *process, struct rib_handle *handle) {
  if (handle->next) handle->next->previous = handle->previous;
  if (handle->previous)
    handle->previous->next = handle->next;
  else
    process->handles = handle->next;
  process->handle_count--;
  handle->disk->handles--;
  if (!process->is_dead) handle->disk->living_handles--;
}

void rib_process_kill(rib_process *process) {
  if (process->is_dead) return;
  process->is_dead = true;
  for (struct rib_handle *handle = process->handles; handle; handle = handle->next) {
    rib_handle_unlock(handle, SQLITE_LOCK_NONE);
    rib_handle_leave_shm(handle);
    handle->disk->living_handles--;
  }
}

void rib_process_kill_after(rib_process *process, uint64_t calls) { process->kill_after = calls; }

void rib_process_fail(rib_process *process, rib_fault fault) {
  rib_require(fault.first > 0, "a fault begins at the first call from now or later: `first` is at least 1");
  process->fates[fault.call] = (struct rib_fate){
      .wait = fault.first - 1,
      .left = fault.count ? fault.count : UINT64_MAX,
      .code = fault.code,
      .is_short = fault.is_short,
  };
}

void rib_process_heal(rib_process *process) {
  for (int i = 0; i < RIB_CALL_KINDS; i++) process->fates[i] = (struct rib_fate){};
}

static const int codes_of_the_dead[RIB_CALL_KINDS] = {
    [RIB_CALL_OPEN] = SQLITE_IOERR,
    [RIB_CALL_READ] = SQLITE_IOERR_READ,
    [RIB_CALL_WRITE] = SQLITE_IOERR_WRITE,
    [RIB_CALL_SYNC] = SQLITE_IOERR_FSYNC,
    [RIB_CALL_TRUNCATE] = SQLITE_IOERR_TRUNCATE,
    [RIB_CALL_LOCK] = SQLITE_IOERR_LOCK,
    [RIB_CALL_SHM_MAP] = SQLITE_IOERR_SHMMAP,
    [RIB_CALL_SHM_LOCK] = SQLITE_IOERR_SHMLOCK,
    [RIB_CALL_DELETE] = SQLITE_IOERR_DELETE,
    [RIB_CALL_FILE_SIZE] = SQLITE_IOERR_FSTAT,
    [RIB_CALL_ACCESS] = SQLITE_IOERR_ACCESS,
};

struct rib_outcome rib_process_begin(rib_process *process, rib_disk *disk, rib_call call) {
  rib_note_caller(process);
  if (process->is_dead) return (struct rib_outcome){.code = codes_of_the_dead[call]};
  disk->calls[call]++;
  if (process->kill_after > 0 && --process->kill_after == 0) {
    rib_process_kill(process);
    return (struct rib_outcome){.code = codes_of_the_dead[call], .is_partial = call == RIB_CALL_WRITE};
  }
  struct rib_fate *fate = &process->fates[call];
  if (fate->left == 0) return (struct rib_outcome){.code = SQLITE_OK};
  if (fate->wait > 0) {
    fate->wait--;
    return (struct rib_outcome){.code = SQLITE_OK};
  }
  if (fate->left != UINT64_MAX) fate->left--;
  disk->faults[call]++;
  return (struct rib_outcome){.code = fate->code, .is_partial = fate->is_short};
}
