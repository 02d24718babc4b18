#include "CStart.h"

#include "CSignals.h"

__attribute__((constructor(101))) static void start(void) { nhe_catch_signals(); }
