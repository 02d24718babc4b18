import SpeedTestCore

/// Tests servers that cannot be tested, and explains the reason to the user.
func explainFailures(serverURL: String) async throws {
    // No server listens on this port.
    let closed = await explanation(testing: "http://127.0.0.1:1/speedtest")
    try expect(closed == "there is no such server: check its address", "a closed port: \(closed)")
    let wrong = await explanation(testing: "\(serverURL)/elsewhere")
    try expect(wrong == "this is no speed-test server", "a path that is none: \(wrong)")
}

/// Tests a server and describes the outcome.
private func explanation(testing serverURL: String) async -> String {
    let explanation: String
    do {
        _ = try await SpeedTestCore.runPingTest(config: SpeedTestConfig(serverURL: serverURL))
        explanation = "it answers"
    } catch NetworkError.serverUnreachable {
        explanation = "there is no such server: check its address"
    } catch NetworkError.invalidResponse {
        explanation = "this is no speed-test server"
    } catch NetworkError.accessDenied {
        explanation = "the server wants you to log in"
    } catch NetworkError.timeout, NetworkError.connectionLost, NetworkError.notEnoughData {
        explanation = "the network is bad: try again later"
    } catch NetworkError.cancelled {
        explanation = "stopped"
    } catch {
        // Only a custom networking throws other errors.
        explanation = "failed: \(error)"
    }
    print("errors: \(serverURL): \(explanation)")
    return explanation
}
