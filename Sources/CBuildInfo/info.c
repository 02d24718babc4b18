#include "CBuildInfo.h"

const char *nhe_build_revision(void) { return NHE_REVISION; }

const char *nhe_build_branch(void) { return NHE_BRANCH; }
