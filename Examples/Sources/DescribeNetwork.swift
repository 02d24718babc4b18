import NetworkHealth

/// Measures, and prints what a program can decide by: the connection, its cost, and its speed.
func describeNetwork(with tester: some SpeedTester) async {
    let network = await NetworkHealth.detailedSnapshot(speedTester: tester)
    print("connected: \(network.quality != .offline), over \(network.interfaceName ?? "no interface")")
    print("type: \(network.connectionType)")
    // In a container the cost is unknown: `isExpensive` alone is false there, and means nothing.
    print("cost: \(network.isCostKnown ? (network.isExpensive ? "expensive" : "not expensive") : "unknown")")
    print("large transfers: \(network.isUnmetered ? "allowed" : "not allowed")")
    print("down: \(network.downloadSpeedMbps ?? 0) Mbit/s, up: \(network.uploadSpeedMbps ?? 0) Mbit/s")
    print("latency: \((network.latency ?? 0) * 1000) ms")
}
