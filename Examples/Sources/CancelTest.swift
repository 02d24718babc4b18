import SpeedTestCore

/// Starts a test that takes some seconds, and cancels it after one.
func cancelTest(serverURL: String) async throws {
    let test = Task {
        try await SpeedTestCore.runDownloadTest(config: SpeedTestConfig(serverURL: serverURL))
    }
    // In an application the user would cancel the test.
    try await Task.sleep(for: .seconds(1))

    let start = ContinuousClock.now
    test.cancel()
    do {
        _ = try await test.value
        throw Unexpected(description: "a cancelled test has a result")
    } catch NetworkError.cancelled {
        // Its connections are closed: no more bytes are transferred.
        let time = start.duration(to: .now)
        try expect(time < .seconds(1), "a cancelled test ends at once, but this took \(time)")
        print("cancel: ended at once")
    }
}
