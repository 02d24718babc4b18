// Catches signals (CSignals) from the first instant of the process on. Link it into the executable alone.
