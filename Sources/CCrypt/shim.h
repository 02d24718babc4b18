#ifndef NHE_CCRYPT_SHIM_H
#define NHE_CCRYPT_SHIM_H

#include <crypt.h>
#include <string.h>

// Swift does not import the struct, whose arrays are too large for it.
static inline size_t nhe_crypt_data_size(void) { return sizeof(struct crypt_data); }

// Linux's, which Glibc's module hides with _GNU_SOURCE.
extern void explicit_bzero(void *, size_t);

#endif
