#ifndef NHE_ASSETS_H
#define NHE_ASSETS_H

#include <stddef.h>

/// The bytes of `openapi.json`, without a terminator.
const unsigned char *nhe_openapi(void);
size_t nhe_openapi_size(void);

#endif
