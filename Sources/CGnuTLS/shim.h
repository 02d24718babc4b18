#ifndef NHE_CGNUTLS_SHIM_H
#define NHE_CGNUTLS_SHIM_H

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#endif
