// SQLite.
#ifndef NHE_CSQLITE_SHIM_H
#define NHE_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a pointer made of -1, which Swift cannot import. A null pointer would bind NULL instead of
// something empty.

static inline int nhe_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text ? text : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int nhe_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", length, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic. Off: the last connection leaves the log as it is when it closes.
static inline void nhe_sqlite_checkpoint_on_close(sqlite3 *database, int isOn) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !isOn, (int *)0);
}

#endif
