// deflateInit2 is a macro.
#ifndef NHE_CZLIB_SHIM_H
#define NHE_CZLIB_SHIM_H

#include <zlib.h>

// Negative: blocks without a wrapper. A window of 16 kB and the hash table for it: 130 kB in place of 260, and on metrics text of 24 kB the
// same size, as fast with warm caches and by a third faster with cold ones; smaller windows are slower.
static inline int nhe_deflate_init_raw(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -14, 7, Z_DEFAULT_STRATEGY);
}

#endif
