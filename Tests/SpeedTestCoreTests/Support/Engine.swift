import SpeedTestCore

/// Runs a test against a server on loopback, shorter than usual.
func runTest(
    _ url: String,
    _ dialect: SpeedTestProtocol = .speedlab,
    account: TrafficAccount = TrafficAccount(),
    change: (inout SpeedTestOptions) -> Void = { _ in }
) async -> SpeedTestReport {
    var options = SpeedTestOptions()
    options.idleSamples = 3
    options.window = .milliseconds(500) ... .seconds(1)
    change(&options)
    let server = SpeedTestServer(name: "test", dialect: dialect, url: url)
    return await SpeedTestEngine(server: server, options: options, userAgent: "tests/1", account: account)
        .run { _ in }
}
