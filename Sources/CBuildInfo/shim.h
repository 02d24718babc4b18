// What a build may tell about itself: swift build -Xcc '-DNHE_REVISION="0a1b2c3"' -Xcc '-DNHE_BRANCH="main"'
#ifndef NHE_CBUILDINFO_SHIM_H
#define NHE_CBUILDINFO_SHIM_H

#ifndef NHE_REVISION
#define NHE_REVISION "unknown"
#endif
#ifndef NHE_BRANCH
#define NHE_BRANCH "unknown"
#endif

static inline const char *_Nonnull nhe_build_revision(void) { return NHE_REVISION; }
static inline const char *_Nonnull nhe_build_branch(void) { return NHE_BRANCH; }

#endif
