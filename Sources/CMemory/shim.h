// malloc_trim, which the Glibc module does not have.
#ifndef NHE_CMEMORY_H
#define NHE_CMEMORY_H

#include <malloc.h>

#endif
