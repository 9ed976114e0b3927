// Disks: files, the directory, which changes are durable, and what a test may look at.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// MARK: Bytes

static void reserve(struct rib_bytes *bytes, size_t count) {
  if (count <= bytes->capacity) return;
  size_t capacity = bytes->capacity ? bytes->capacity : 4096;
  while (capacity < count) capacity *= 2;
  bytes->start = realloc(bytes->start, capacity);
  rib_require(bytes->start, "no memory for the content of a file");
  bytes->capacity = capacity;
}

void rib_bytes_resize(struct rib_bytes *bytes, size_t count) {
  if (count > bytes->count) {
    reserve(bytes, count);
    memset(bytes->start + bytes->count, 0, count - bytes->count);
  }
  bytes->count = count;
}

void rib_bytes_put(struct rib_bytes *bytes, size_t offset, const void *source, size_t count) {
  if (count == 0) return;
  if (offset > bytes->count) rib_bytes_resize(bytes, offset);
  size_t end = offset + count;
  if (end > bytes->count) {
    reserve(bytes, end);
    bytes->count = end;
  }
  memcpy(bytes->start + offset, source, count);
}

static void copy(struct rib_bytes *bytes, const struct rib_bytes *source) {
  bytes->count = 0;
  rib_bytes_put(bytes, 0, source->start, source->count);
}

// MARK: Files

static struct rib_change *add_change(struct rib_file *file) {
  file->changes = rib_reserve(file->changes, file->change_count, &file->change_capacity, sizeof *file->changes);
  return &file->changes[file->change_count++];
}

void rib_file_write(struct rib_file *file, size_t offset, const void *bytes, size_t count) {
  if (count == 0) return;
  *add_change(file) = (struct rib_change){.offset = offset, .count = count, .log_offset = file->log.count};
  rib_bytes_put(&file->log, file->log.count, bytes, count);
  rib_bytes_put(&file->present, offset, bytes, count);
}

void rib_file_truncate(struct rib_file *file, size_t size) {
  if (size == file->present.count) return;
  *add_change(file) = (struct rib_change){.is_truncation = true, .offset = size};
  rib_bytes_resize(&file->present, size);
}

void rib_file_sync(struct rib_file *file) {
  for (size_t i = 0; i < file->change_count; i++) {
    const struct rib_change *change = &file->changes[i];
    if (change->is_truncation)
      rib_bytes_resize(&file->durable, change->offset);
    else
      rib_bytes_put(&file->durable, change->offset, file->log.start + change->log_offset, change->count);
  }
  file->change_count = 0;
  file->log.count = 0;
}

void rib_file_release(struct rib_file *file) {
  if (--file->references > 0) return;
  free(file->present.start);
  free(file->durable.start);
  free(file->log.start);
  free(file->changes);
  free(file);
}

// MARK: The directory

static size_t position(const struct rib_entries *entries, const char *name) {
  size_t i = 0;
  while (i < entries->count && strcmp(entries->items[i].name, name) != 0) i++;
  return i;
}

static void append(struct rib_entries *entries, const char *name, struct rib_file *file) {
  entries->items = rib_reserve(entries->items, entries->count, &entries->capacity, sizeof *entries->items);
  char *copy = strdup(name);
  rib_require(copy, "no memory for the name of a file");
  entries->items[entries->count++] = (struct rib_entry){.name = copy, .file = file};
  if (file) file->references++;
}

static void free_entry(struct rib_entry *entry) {
  free(entry->name);
  if (entry->file) rib_file_release(entry->file);
}

struct rib_file *rib_entries_find(const struct rib_entries *entries, const char *name) {
  size_t i = position(entries, name);
  return i < entries->count ? entries->items[i].file : NULL;
}

void rib_entries_apply(struct rib_entries *entries, const struct rib_entry *change) {
  if (change->file) {
    append(entries, change->name, change->file);
    return;
  }
  size_t i = position(entries, change->name);
  free_entry(&entries->items[i]);
  entries->count--;
  memmove(&entries->items[i], &entries->items[i + 1], (entries->count - i) * sizeof *entries->items);
}

void rib_entries_clear(struct rib_entries *entries) {
  for (size_t i = 0; i < entries->count; i++) free_entry(&entries->items[i]);
  entries->count = 0;
}

static void change_directory(rib_disk *disk, const char *name, struct rib_file *file) {
  append(&disk->changes, name, file);
  rib_entries_apply(&disk->present, &disk->changes.items[disk->changes.count - 1]);
}

struct rib_file *rib_disk_create(rib_disk *disk, const char *name) {
  struct rib_file *file = rib_allocate(1, sizeof *file);
  change_directory(disk, name, file);
  return file;
}

void rib_disk_delete(rib_disk *disk, const char *name) { change_directory(disk, name, NULL); }

static void make_directory_durable(rib_disk *disk) {
  for (size_t i = 0; i < disk->changes.count; i++) rib_entries_apply(&disk->durable, &disk->changes.items[i]);
  rib_entries_clear(&disk->changes);
}

void rib_disk_sync_directory(rib_disk *disk) {
  disk->counters.directory_syncs++;
  if (!disk->skips_sync && !disk->skips_directory_sync) make_directory_durable(disk);
}

size_t rib_disk_room(const rib_disk *disk, const struct rib_file *file, size_t offset, size_t count) {
  if (disk->capacity == 0 || offset + count <= file->present.count) return count;
  uint64_t used = 0;
  for (size_t i = 0; i < disk->present.count; i++) used += disk->present.items[i].file->present.count;
  uint64_t end = file->present.count + (disk->capacity > used ? disk->capacity - used : 0);
  if (end >= offset + count) return count;
  return end > offset ? end - offset : 0;
}

// MARK: Disks

rib_disk *rib_disk_make(void) { return rib_allocate(1, sizeof(rib_disk)); }

rib_disk *rib_disk_copy(const rib_disk *disk) {
  rib_disk *result = rib_disk_make();
  for (size_t i = 0; i < disk->durable.count; i++) {
    const struct rib_entry *entry = &disk->durable.items[i];
    struct rib_file *file = rib_allocate(1, sizeof *file);
    copy(&file->present, &entry->file->durable);
    copy(&file->durable, &entry->file->durable);
    append(&result->present, entry->name, file);
    append(&result->durable, entry->name, file);
  }
  return result;
}

void rib_disk_sync(rib_disk *disk) {
  make_directory_durable(disk);
  for (size_t i = 0; i < disk->durable.count; i++) rib_file_sync(disk->durable.items[i].file);
}

void rib_disk_free(rib_disk *disk) {
  rib_require(disk->handles == 0, "a disk is freed with handles open on it");
  rib_disk_unmount(disk);
  rib_entries_clear(&disk->present);
  rib_entries_clear(&disk->durable);
  rib_entries_clear(&disk->changes);
  free(disk->present.items);
  free(disk->durable.items);
  free(disk->changes.items);
  free(disk);
}

size_t rib_disk_open_handles(const rib_disk *disk) { return disk->handles; }

void rib_disk_set_capacity(rib_disk *disk, uint64_t bytes) { disk->capacity = bytes; }

void rib_disk_set_skips_sync(rib_disk *disk, bool skips) { disk->skips_sync = skips; }

void rib_disk_set_skips_directory_sync(rib_disk *disk, bool skips) { disk->skips_directory_sync = skips; }

uint64_t rib_disk_calls(const rib_disk *disk, rib_call call) { return disk->calls[call]; }

uint64_t rib_disk_faults(const rib_disk *disk, rib_call call) { return disk->faults[call]; }

rib_disk_counters rib_disk_counted(const rib_disk *disk) { return disk->counters; }

// MARK: Content

size_t rib_disk_file_count(const rib_disk *disk) { return disk->present.count; }

const char *rib_disk_file_name(const rib_disk *disk, size_t index) {
  return index < disk->present.count ? disk->present.items[index].name : NULL;
}

int64_t rib_disk_file_size(const rib_disk *disk, const char *name) {
  const struct rib_file *file = rib_entries_find(&disk->present, name);
  return file ? (int64_t)file->present.count : -1;
}

/// How many of `count` bytes from `offset` there are.
static size_t clip(const struct rib_bytes *bytes, uint64_t offset, size_t count) {
  if (offset >= bytes->count) return 0;
  size_t rest = bytes->count - offset;
  return count < rest ? count : rest;
}

size_t rib_disk_read(const rib_disk *disk, const char *name, uint64_t offset, void *bytes, size_t count) {
  const struct rib_file *file = rib_entries_find(&disk->present, name);
  size_t part = file ? clip(&file->present, offset, count) : 0;
  if (part > 0) memcpy(bytes, file->present.start + offset, part);
  return part;
}

/// Overwrites what a write that is not durable has in common with `count` bytes from `offset`.
static void damage_write(
    struct rib_file *file, const struct rib_change *write, size_t offset, const uint8_t *bytes, size_t count) {
  size_t start = write->offset > offset ? write->offset : offset;
  size_t write_end = write->offset + write->count, end = offset + count;
  if (write_end < end) end = write_end;
  if (start >= end) return;
  memcpy(file->log.start + write->log_offset + (start - write->offset), bytes + (start - offset), end - start);
}

size_t rib_disk_damage(rib_disk *disk, const char *name, uint64_t offset, const void *bytes, size_t count) {
  struct rib_file *file = rib_entries_find(&disk->present, name);
  size_t part = file ? clip(&file->present, offset, count) : 0;
  if (part == 0) return 0;
  memcpy(file->present.start + offset, bytes, part);
  size_t durable = clip(&file->durable, offset, part);
  if (durable > 0) memcpy(file->durable.start + offset, bytes, durable);
  // A power cut may apply any of the writes again, and the damage is not to vanish by that.
  for (size_t i = 0; i < file->change_count; i++)
    if (!file->changes[i].is_truncation) damage_write(file, &file->changes[i], offset, bytes, part);
  return part;
}
