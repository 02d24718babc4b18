#ifndef NHE_CGNUTLS_SHIM_H
#define NHE_CGNUTLS_SHIM_H

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// The library's own is a variable.
static inline void nhe_gnutls_free(void *memory) { gnutls_free(memory); }

#endif
