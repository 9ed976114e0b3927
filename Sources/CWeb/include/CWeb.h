#ifndef CWEB_H
#define CWEB_H

#include <stdbool.h>
#include <stddef.h>

/// A file of web/, as it was when the program was built.
struct web_file {
  /// Its path below the root of the server that hands it out.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
  /// Whether it is a part of the client for browsers, which every page needs.
  bool is_client;
  /// Whether the showcase's page needs it.
  bool is_showcase;
  /// Whether the inspector's page needs it.
  bool is_inspector;
};

/// The n-th file; null beyond the last.
const struct web_file *_Nullable web_file_at(size_t index);

#endif
