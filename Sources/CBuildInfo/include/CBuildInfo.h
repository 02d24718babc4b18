// What is built: the one C file that Package.swift gives it to is all that is compiled again after a commit.
#ifndef NHE_CBUILDINFO_H
#define NHE_CBUILDINFO_H

const char *_Nonnull nhe_build_revision(void);
const char *_Nonnull nhe_build_branch(void);

#endif
