#ifndef CWEB_H
#define CWEB_H

#include <stdbool.h>
#include <stddef.h>

/// A file of web/, as it was when the program was built.
struct web_file {
  /// Its path below web/.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
  /// Whether it is a part of the client, and not of the showcase's page.
  bool is_client;
};

/// The n-th file; null beyond the last.
const struct web_file *_Nullable web_file_at(size_t index);

#endif
