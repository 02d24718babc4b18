// What a program must do before its first line of Swift.
#ifndef NHE_CSIGNALS_H
#define NHE_CSIGNALS_H

// Catches and keeps SIGHUP, SIGINT and SIGTERM, ignores SIGPIPE, and opens the descriptors 0 to 2, so that no other file gets
// their numbers. Ten seconds after the first SIGINT or SIGTERM the process ends with status 1, whatever its threads do.
void nhe_catch_signals(void);

// Where the numbers of caught signals arrive, a byte each; non-blocking, and -1 where none are caught.
int nhe_caught_signals(void);

// The caught signals act as they did when the process was started, those included that came meanwhile.
void nhe_restore_signals(void);

#endif
