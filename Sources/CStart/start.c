#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "CSignals.h"
#include "CThreads.h"

// glibc raises this limit by itself after the first large block is freed. The buffers of speed tests then come from the heap, among
// blocks that stay, and cannot be given back: 47 MB more after 100 tests (Benchmarks/soak).
enum { mmapThreshold = 128 * 1024 };

// By default each of the 16 threads gets a heap of its own, which grows to the largest use of that thread and keeps it. None of them
// allocates so often that two heaps are a bottleneck.
enum { heaps = 2 };

// What each command needs before its first line: libdispatch has a thread for events and one for each processor that is busy. Where it
// cannot start one, it tries again every second, for ever, and with it everything that waits for that thread.
enum { threads = 5 };

// Each command opens fewer than this, and libdispatch traps where it can open none. `serve` needs more (StartLimits).
enum { descriptors = 32 };

static void check_threads(void) {
    int started = nhe_try_threads(threads);
    if (started == threads) return;
    fprintf(stderr,
            "Error: only %d of %d threads can be started: %s (errno %d). Raise the limit of processes and threads: RLIMIT_NPROC of the user "
            "(ulimit -u, LimitNPROC=), or that of the unit or container (TasksMax=, --pids-limit)\n",
            started, threads, strerror(errno), errno);
    _exit(1);
}

static void check_descriptors(void) {
    struct rlimit limits;
    // Where a filter denies the call, the limit is not known.
    if (getrlimit(RLIMIT_NOFILE, &limits) != 0 || limits.rlim_max >= descriptors) return;
    fprintf(stderr,
            "Error: the limit of open files (RLIMIT_NOFILE) is %llu, and at least %d are needed: raise it (ulimit -Hn, LimitNOFILE=, "
            "--ulimit nofile=)\n",
            (unsigned long long)limits.rlim_max, descriptors);
    _exit(1);
}

__attribute__((constructor(101))) static void start(void) {
    mallopt(M_MMAP_THRESHOLD, mmapThreshold);
    mallopt(M_ARENA_MAX, heaps);
    check_descriptors();
    check_threads();
    nhe_catch_signals();
}
