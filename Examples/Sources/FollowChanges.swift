import NetworkHealth

/// Chooses the size of pictures by the network, until its task is cancelled.
///
/// - Returns: how often it chose.
func choosePictures() async -> Int {
    var count = 0
    // The stream begins with the current value, so no separate query is needed.
    for await snapshot in NetworkHealth.stream() {
        count += 1
        let name = snapshot.interfaceName ?? "no interface"
        print("stream: \(snapshot.quality) over \(name): \(pictures(for: snapshot)) pictures")
    }
    print("stream: ended")
    return count
}

private func pictures(for snapshot: NetworkSnapshot) -> String {
    if snapshot.quality == .offline { return "no" }
    // Each byte costs money, or the user wants to save data: this takes precedence over the quality.
    if snapshot.isExpensive || snapshot.isConstrained { return "small" }
    return snapshot.quality.isAtLeast(.good) ? "large" : "medium"
}
