// What Swift cannot call of SQLite: a function with any number of arguments.
#ifndef RIBSERVER_CSQLITE_H
#define RIBSERVER_CSQLITE_H

#include <sqlite3.h>

// Has SQLite count no more how much memory it uses: each allocation would take a lock for it. To be called before SQLite is
// used for the first time; later it has no effect.
static inline void rib_sqlite_count_no_memory(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
