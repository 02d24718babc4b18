// PCRE2 on bytes.
#ifndef NHE_CPCRE2_SHIM_H
#define NHE_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#endif
