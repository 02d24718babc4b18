import Testing

/// Everything that runs the executable: one after the other, since they share this machine's kernel and time.
///
/// They need root, for network namespaces, and the programs that `scripts/packages test` installs.
@Suite(.serialized) enum EndToEndTests {}
