// Shows the thread sanitizer what it does not see of Swift's Mutex: how a lock that others wait for is handed on, which the standard
// library and the kernel do. scripts/sanitize has this loaded before a program's other libraries.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define SELF __attribute__((swift_context)) void *handle

// Of the sanitizer; not there in a program that is not under it.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef __attribute__((swiftcall)) void Lock(uint32_t thread, SELF);
typedef __attribute__((swiftcall)) bool TryLock(SELF);
typedef __attribute__((swiftcall)) void Unlock(SELF);

__attribute__((swiftcall)) void lockSlow(uint32_t thread, SELF) __asm__(LOCK);
__attribute__((swiftcall)) void lockSlow(uint32_t thread, SELF) {
  ((Lock *)dlsym(RTLD_NEXT, LOCK))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

__attribute__((swiftcall)) bool tryLockSlow(SELF) __asm__(TRY_LOCK);
__attribute__((swiftcall)) bool tryLockSlow(SELF) {
  bool isLocked = ((TryLock *)dlsym(RTLD_NEXT, TRY_LOCK))(handle);
  if (isLocked && __tsan_acquire) __tsan_acquire(handle);
  return isLocked;
}

__attribute__((swiftcall)) void unlockSlow(SELF) __asm__(UNLOCK);
__attribute__((swiftcall)) void unlockSlow(SELF) {
  if (__tsan_release) __tsan_release(handle);
  ((Unlock *)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
