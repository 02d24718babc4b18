// How many threads this process may have.
#ifndef NHE_CTHREADS_H
#define NHE_CTHREADS_H

// Starts `count` threads, 1024 at most, that exist at the same time, ends them, and returns how many could be started. Where there
// are fewer than `count`, errno says why. Takes less than a millisecond.
int nhe_try_threads(int count);

#endif
