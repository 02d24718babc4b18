// What a program must do before its first line of Swift: from a C constructor on, SIGHUP, SIGINT and SIGTERM are caught
// and kept, SIGPIPE is ignored, and the descriptors 0 to 2 are open, so that no other file gets their numbers.
#ifndef NHE_CSIGNALS_H
#define NHE_CSIGNALS_H

// Where the numbers of caught signals arrive, a byte each; non-blocking, and -1 where none are caught.
int nhe_caught_signals(void);

// The caught signals act as they did when the process was started, those included that came meanwhile.
void nhe_restore_signals(void);

#endif
