// SQLite.
#ifndef NHE_CSQLITE_SHIM_H
#define NHE_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
