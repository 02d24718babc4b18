#ifndef NHE_CFUZZ_H
#define NHE_CFUZZ_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's loop; absent from a build without -sanitize=fuzzer.
int LLVMFuzzerRunDriver(int *, char ***, int (*)(const uint8_t *, size_t)) __attribute__((weak));

// Runs libFuzzer, which ends the process. Returns only from a build without it.
static inline void nhe_run_fuzzer(int count, char **arguments, int (*read)(const uint8_t *, size_t)) {
    if (LLVMFuzzerRunDriver) LLVMFuzzerRunDriver(&count, &arguments, read);
}

#endif
