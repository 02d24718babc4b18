// deflateInit2 is a macro.
#ifndef NHE_CZLIB_SHIM_H
#define NHE_CZLIB_SHIM_H

#include <zlib.h>

// -15: the largest window, and blocks without a wrapper.
static inline int nhe_deflate_init_raw(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

#endif
