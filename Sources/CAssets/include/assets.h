#ifndef NHE_ASSETS_H
#define NHE_ASSETS_H

#include <stddef.h>

/// The bytes of `openapi.json`, without a terminator.
const unsigned char *nhe_openapi(void);
size_t nhe_openapi_size(void);

/// The page at `/`: its template, and what it contains. Without terminators.
const unsigned char *nhe_page(void);
size_t nhe_page_size(void);
const unsigned char *nhe_page_style(void);
size_t nhe_page_style_size(void);
const unsigned char *nhe_page_script(void);
size_t nhe_page_script_size(void);

#endif
