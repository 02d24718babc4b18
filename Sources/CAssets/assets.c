#include "assets.h"

// #embed is C23, an extension to the compiler's default. A pragma silences the warning: flags of the target would be
// unsafe ones, with which a package cannot be a dependency.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "openapi.json"
};

const unsigned char *nhe_openapi(void) { return openapi; }

size_t nhe_openapi_size(void) { return sizeof openapi; }
