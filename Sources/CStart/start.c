#include <malloc.h>

#include "CSignals.h"

// glibc raises this limit by itself after the first large block is freed. The buffers of speed tests then come from the heap, among
// blocks that stay, and cannot be given back: 47 MB more after 100 tests (Benchmarks/soak).
enum { mmapThreshold = 128 * 1024 };

// By default each of the 16 threads gets a heap of its own, which grows to the largest use of that thread and keeps it. None of them
// allocates so often that two heaps are a bottleneck.
enum { heaps = 2 };

__attribute__((constructor(101))) static void start(void) {
    mallopt(M_MMAP_THRESHOLD, mmapThreshold);
    mallopt(M_ARENA_MAX, heaps);
    nhe_catch_signals();
}
