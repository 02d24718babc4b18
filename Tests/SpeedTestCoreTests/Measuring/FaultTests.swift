import Foundation
import Lab
import SpeedTestCore
import Testing

@Suite(.timeLimit(.minutes(3)))
struct FaultTests {
    /// What each fault is called, in a download and in an upload.
    private static let reasons: [Fault: (download: SpeedTestFailure.Reason, upload: SpeedTestFailure.Reason)] = [
        .neverAnswers: (.timeout, .timeout),
        .stallsMidway: (.timeout, .timeout),
        .resets: (.reset, .reset),
        .refuses413: (.status, .status),
        .busy429: (.status, .status),
        .unavailable503: (.status, .status),
        .wrongLength: (.short, .reset),
        .oneByteASecond: (.short, .timeout),
        .diesHalfway: (.reset, .reset),
        .answersEarlyAndCloses: (.short, .short),
        .errorPage: (.short, .short),
        .endlessHead: (.status, .status),
    ]

    @Test(arguments: Fault.allCases, Direction.allCases)
    func `a failing server is reported with its reason, within the time limit`(fault: Fault, direction: Direction)
        async throws
    {
        let stolen = StolenTime()
        let server = try RawServer.failing(fault)
        defer { server.close() }
        let report = await runTest("http://127.0.0.1:\(server.port)") { options in
            options.directions = [direction]
            options.idleSamples = 1
            options.directionWall = .seconds(18)
        }
        let failure = try #require(report.failure, "\(report)")
        let reasons = try #require(Self.reasons[fault])
        #expect(failure.reason == (direction == .download ? reasons.download : reasons.upload), "\(failure)")
        #expect(report[direction] == nil && report.ping != nil)
        // The wall of 18 s, and what 22 of these at once on two cores take.
        #expect(report.duration < .seconds(30), "\(stolen)")
        if fault == .busy429 || fault == .unavailable503 { #expect(failure.retryAfter == .seconds(77)) }
    }

    @Test func `no descriptor is left, however a server fails`() async {
        // In a separate process, where no other test opens files.
        await #expect(processExitsWith: .success) {
            func descriptors() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
            }
            /// The threads of the transfers close theirs after the run has returned.
            func fallTo(_ count: Int) async -> Bool {
                (try? await eventually("closed descriptors", within: .seconds(20)) { descriptors() <= count }) != nil
            }
            func failAll() async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for fault in Fault.allCases {
                        group.addTask {
                            let server = try RawServer.failing(fault)
                            defer { server.close() }
                            let report = await runTest("http://127.0.0.1:\(server.port)") { options in
                                options.idleSamples = 1
                                options.directions = [fault.rawValue.count.isMultiple(of: 2) ? .download : .upload]
                                options.directionWall = .seconds(2)
                            }
                            precondition(report.failure != nil)
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await failAll()
            let before = descriptors()
            try await failAll()
            let hasFallen = await fallTo(before)
            precondition(hasFallen, "descriptors: \(before), then \(descriptors())")
        }
    }
}
