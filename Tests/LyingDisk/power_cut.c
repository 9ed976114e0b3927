// What a power cut leaves of the changes that are not durable.
//
// A disk may write what it caches in any order and in part; all it promises is that a sector is written as a whole and that what
// has been synced is there. The size of a file is written apart from its content, so a write can survive whose growth does not
// (the bytes beyond the size are gone), and a growth whose write does not (a hole, of zeros).
#include "internal.h"

#define SECTOR 512

enum mode { NOTHING, EVERYTHING, FIRST_CHANGES, SECTORS, MODES };

struct cut {
  uint64_t random;
  rib_disk_counters *counters;
  /// Of eight sectors, truncations or growths how many survive in the file at hand, on average.
  unsigned odds;
};

static size_t draw_below(struct cut *cut, size_t limit) { return rib_random(&cut->random) % limit; }

static bool survives(struct cut *cut) { return draw_below(cut, 8) < cut->odds; }

static size_t sectors(size_t offset, size_t count) { return (offset + count - 1) / SECTOR - offset / SECTOR + 1; }

/// Applies what survives of a write, sector by sector, and of the growth that it brings.
static void scatter_write(struct cut *cut, struct rib_file *file, const struct rib_change *write, size_t *size) {
  size_t end = write->offset + write->count, dropped = 0;
  for (size_t start = write->offset, next; start < end; start = next) {
    next = (start / SECTOR + 1) * SECTOR;
    if (next > end) next = end;
    if (survives(cut))
      rib_bytes_put(&file->durable, start, file->log.start + write->log_offset + (start - write->offset), next - start);
    else
      dropped++;
  }
  if (end > *size && survives(cut)) *size = end;
  cut->counters->sectors_dropped += dropped;
  cut->counters->writes_torn += dropped > 0 && dropped < sectors(write->offset, write->count);
}

static void scatter(struct cut *cut, struct rib_file *file) {
  cut->odds = 1 + (unsigned)draw_below(cut, 7);
  size_t size = file->durable.count;
  for (size_t i = 0; i < file->change_count; i++) {
    const struct rib_change *change = &file->changes[i];
    if (!change->is_truncation) {
      scatter_write(cut, file, change, &size);
    } else if (survives(cut)) {
      size = change->offset;
      rib_bytes_resize(&file->durable, size);
    }
  }
  rib_bytes_resize(&file->durable, size);
}

static void count_dropped(struct cut *cut, const struct rib_change *change) {
  if (!change->is_truncation) cut->counters->sectors_dropped += sectors(change->offset, change->count);
}

static void keep_first(struct cut *cut, struct rib_file *file, size_t count) {
  for (size_t i = count; i < file->change_count; i++) count_dropped(cut, &file->changes[i]);
  file->change_count = count;
  rib_file_sync(file);
}

/// Keeps the first changes; of the last of them, if it is a write, only the first sectors.
static void keep_some(struct cut *cut, struct rib_file *file) {
  size_t count = draw_below(cut, file->change_count + 1);
  if (count > 0 && !file->changes[count - 1].is_truncation) {
    struct rib_change *last = &file->changes[count - 1];
    size_t all = sectors(last->offset, last->count), kept = 1 + draw_below(cut, all);
    if (kept < all) {
      last->count = (last->offset / SECTOR + kept) * SECTOR - last->offset;
      cut->counters->sectors_dropped += all - kept;
      cut->counters->writes_torn++;
    }
  }
  keep_first(cut, file, count);
}

static void cut_file(struct cut *cut, struct rib_file *file) {
  if (file->change_count == 0) return;
  switch ((enum mode)draw_below(cut, MODES)) {
  case NOTHING: keep_first(cut, file, 0); break;
  case EVERYTHING: keep_first(cut, file, file->change_count); break;
  case FIRST_CHANGES: keep_some(cut, file); break;
  default: scatter(cut, file); break;
  }
  file->change_count = 0;
  file->log.count = 0;
  file->present.count = 0;
  rib_bytes_put(&file->present, 0, file->durable.start, file->durable.count);
}

static void cut_directory(struct cut *cut, rib_disk *disk) {
  size_t kept = draw_below(cut, disk->changes.count + 1);
  for (size_t i = 0; i < kept; i++) rib_entries_apply(&disk->durable, &disk->changes.items[i]);
  cut->counters->entries_dropped += disk->changes.count - kept;
  rib_entries_clear(&disk->changes);
  rib_entries_clear(&disk->present);
  for (size_t i = 0; i < disk->durable.count; i++) rib_entries_apply(&disk->present, &disk->durable.items[i]);
}

void rib_disk_cut_power(rib_disk *disk, uint64_t seed) {
  rib_require(disk->living_handles == 0, "the power of a disk is cut while a process that lives has a handle open on it");
  struct cut cut = {.random = seed, .counters = &disk->counters};
  disk->counters.power_cuts++;
  cut_directory(&cut, disk);
  for (size_t i = 0; i < disk->durable.count; i++) cut_file(&cut, disk->durable.items[i].file);
}
