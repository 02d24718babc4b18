import Testing

/// Everything that runs the executable: one after the other, since they share this machine's kernel and time.
///
/// They need root, for network namespaces, and the programs that `scripts/packages test` installs. `scripts/test` runs them in
/// three processes side by side.
@Suite(.serialized) enum EndToEndTests {}

/// Those that compare times, which other programs on the same cores would lengthen: `scripts/test` runs them alone, and those
/// that wait for slow links in three processes side by side.
@Suite(.serialized) enum EndToEndTimingTests {}
