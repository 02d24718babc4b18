import Glibc
import SpeedTestCore

/// Runs one example after the other against a speed-test server, such as that of an exporter on another host.
///
///     swift run --package-path Examples examples http://192.0.2.1:10319/speedtest
///
/// With `describe` before the address, it only measures and describes the network.
///
/// The exit status is 0 only when everything went as expected.
@main enum Examples {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 2, arguments.first == "describe", let url = arguments.last {
            return await describeNetwork(with: RealSpeedTester(serverURL: url))
        }
        guard let url = arguments.first, arguments.count == 1 else {
            print("usage: examples [describe] URL, such as http://192.0.2.1:10319/speedtest")
            exit(2)
        }
        do {
            try await run(serverURL: url)
            print("everything went as expected")
        } catch {
            print("unexpected: \(error)")
            exit(1)
        }
    }

    private static func run(serverURL: String) async throws {
        // Fails with the server's error before any other example uses it.
        _ = try await SpeedTestCore.runPingTest(config: SpeedTestConfig(serverURL: serverURL))

        let isAllowed = await startDownload()
        try expect(!isAllowed, "nobody has measured yet, and an estimate is never excellent")

        // Runs concurrently with the examples below, as in an application.
        let choosing = Task { await choosePictures() }

        let tester = CachedSpeedTester(RealSpeedTester(serverURL: serverURL), validity: .seconds(600))
        try await measure(with: tester)
        try await measureFromCache(with: tester)
        // The measurement counts for this uplink in the whole process.
        await startDownload()

        try await explainFailures(serverURL: serverURL)
        try await cancelTest(serverURL: serverURL)

        choosing.cancel()
        try expect(await choosing.value > 0, "a stream begins with the current value")
    }
}

/// Something that an example did not expect.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

func expect(_ condition: Bool, _ otherwise: String) throws {
    guard condition else { throw Unexpected(description: otherwise) }
}
