import Foundation
import NetworkHealth
import Testing

/// What a program that imports `NetworkHealth` can rely on, on any machine.
@Suite(.timeLimit(.minutes(3)))
struct NetworkHealthAPITests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    // MARK: Values

    @Test func `a snapshot is made of its fields in their order, and the optional ones are nil`() {
        let least = NetworkSnapshot(
            quality: .good,
            connectionType: .wifi,
            isExpensive: false,
            isConstrained: true,
            timestamp: Self.date
        )
        #expect(least.interfaceName == nil && least.downloadSpeedMbps == nil && least.uploadSpeedMbps == nil)
        #expect(least.latency == nil && least.since == nil && least.isCostKnown && !least.isUnmetered)
        let full = NetworkSnapshot(
            quality: .excellent,
            connectionType: .ethernet,
            isExpensive: true,
            isConstrained: false,
            interfaceName: "eth0",
            timestamp: Self.date,
            downloadSpeedMbps: 93,
            uploadSpeedMbps: 20,
            latency: 0.01,
            since: Self.date - 60,
            isCostKnown: true
        )
        #expect(full.quality == .excellent && full.connectionType == .ethernet && full.interfaceName == "eth0")
        #expect(full.isExpensive && !full.isConstrained && full.timestamp == Self.date)
        #expect(full.downloadSpeedMbps == 93 && full.uploadSpeedMbps == 20 && full.latency == 0.01)
        #expect(full.since == Self.date - 60)
    }

    @Test func `a network is unmetered only where its cost is known`() {
        func isUnmetered(_ isExpensive: Bool, _ isConstrained: Bool, _ isCostKnown: Bool) -> Bool {
            NetworkSnapshot(
                quality: .good,
                connectionType: .unknown,
                isExpensive: isExpensive,
                isConstrained: isConstrained,
                timestamp: Self.date,
                isCostKnown: isCostKnown
            ).isUnmetered
        }
        #expect(isUnmetered(false, false, true))
        #expect(!isUnmetered(false, false, false))
        #expect(!isUnmetered(true, false, true) && !isUnmetered(false, true, true))
    }

    @Test func `qualities are ordered, named and coded`() throws {
        let all: [NetworkQuality] = [.excellent, .good, .moderate, .poor, .offline]
        #expect(NetworkQuality.allCases == all)
        #expect(all.map(\.rawValue) == ["excellent", "good", "moderate", "poor", "offline"])
        #expect(all.sorted(by: >) == all)
        #expect(NetworkQuality.good.isAtLeast(.good) && NetworkQuality.good.isAtLeast(.moderate))
        #expect(!NetworkQuality.moderate.isAtLeast(.good))
        #expect(try JSONDecoder().decode([NetworkQuality].self, from: JSONEncoder().encode(all)) == all)
    }

    @Test func `connection types are named and coded`() throws {
        let all: [ConnectionType] = [.wifi, .cellular, .ethernet, .other, .unknown]
        #expect(all.map(\.rawValue) == ["wifi", "cellular", "ethernet", "other", "unknown"])
        #expect(try JSONDecoder().decode([ConnectionType].self, from: JSONEncoder().encode(all)) == all)
    }

    @Test func `results are made of their fields in their order`() {
        let check = HealthCheckResult(
            passed: false,
            currentQuality: .poor,
            requiredQuality: .good,
            recommendation: "Network is too slow. Try connecting to WiFi"
        )
        #expect(!check.passed && check.currentQuality == .poor && check.requiredQuality == .good)
        #expect(check.recommendation.hasPrefix("Network is too slow"))
        let result = SpeedTestResult(downloadSpeedMbps: 3, uploadSpeedMbps: 2, latency: 0.1)
        #expect(result.downloadSpeedMbps == 3 && result.uploadSpeedMbps == 2 && result.latency == 0.1)
        let mock = MockSpeedTester(downloadSpeedMbps: 3, uploadSpeedMbps: 2, latencyMs: 100)
        #expect(mock.downloadSpeedMbps == 3 && mock.uploadSpeedMbps == 2 && mock.latencyMs == 100)
    }

    // MARK: This machine

    @Test func `a snapshot is taken now, and began before`() async throws {
        let asked = Date.now
        let snapshot = await NetworkHealth.snapshot()
        #expect(snapshot.timestamp >= asked && snapshot.timestamp <= .now)
        #expect(try #require(snapshot.since) <= snapshot.timestamp)
        #expect((snapshot.quality == .offline) != ConnectivityService.shared.isConnected)
    }

    @Test func `a monitor has the cost of the snapshot`() async {
        let snapshot = await NetworkHealth.snapshot()
        let monitor = NetworkMonitor.shared
        #expect(monitor.isExpensive == snapshot.isExpensive && monitor.isConstrained == snapshot.isConstrained)
        #expect(monitor.isCostKnown == snapshot.isCostKnown && monitor.isUnmetered == snapshot.isUnmetered)
    }

    @Test func `a stream begins with the current snapshot, and ends with its task`() async {
        let (isReading, reading) = AsyncStream<NetworkSnapshot>.makeStream()
        let reader = Task {
            for await snapshot in NetworkHealth.stream() { reading.yield(snapshot) }
        }
        for await first in isReading {
            #expect(await first.interfaceName == NetworkHealth.snapshot().interfaceName)
            break
        }
        reader.cancel()
        await reader.value
    }

    @Test func `each requirement has its quality`() async {
        let required: [(NetworkRequirement, NetworkQuality)] = [
            (.basicBrowsing, .moderate), (.imageLoading, .moderate), (.videoStreaming, .good),
            (.largeDownload, .excellent), (.largeUpload, .excellent), (.custom(.poor), .poor),
        ]
        for (requirement, quality) in required {
            let result = await NetworkHealth.check(requirement: requirement)
            #expect(result.requiredQuality == quality)
            #expect(await NetworkHealth.isGoodEnoughFor(requirement) == result.passed)
            let sufficient = "Network quality is sufficient for this operation"
            #expect((result.recommendation == sufficient) == result.passed)
            if result.currentQuality == .offline {
                #expect(result.recommendation == "No network connection. Please check your internet")
            }
        }
        // Without a measurement the quality is an estimate, which is never excellent.
        #expect(await !NetworkHealth.isGoodEnoughFor(.largeDownload))
        #expect(await NetworkHealth.isGoodEnoughFor(.custom(.offline)))
        #expect(await NetworkHealth.check(requirement: .custom(.offline)).passed)
    }

    // MARK: Speed tests

    /// Its snapshot's quality does not depend on the machine's network.
    @Test(
        arguments: [
            (.excellent5G, 100, 50, 15, .excellent), (.goodLTE, 20, 10, 50, .good),
            (.moderate3G, 3, 1, 150, .moderate), (.poor2G, 0.3, 0.1, 500, .poor),
            (.excellentWiFi, 150, 75, 10, .excellent), (.slowWiFi, 2, 1, 200, .moderate),
        ] as [(MockSpeedTester, Double, Double, Double, NetworkQuality)]
    )
    func `a mocked profile has its values and its quality`(
        tester: MockSpeedTester,
        download: Double,
        upload: Double,
        milliseconds: Double,
        quality: NetworkQuality
    ) async throws {
        #expect(
            try await tester.measureSpeed()
                == SpeedTestResult(
                    downloadSpeedMbps: download,
                    uploadSpeedMbps: upload,
                    latency: milliseconds / 1000
                )
        )
        let snapshot = await NetworkHealth.detailedSnapshot(speedTester: tester)
        #expect(snapshot.quality == quality && snapshot.latency == milliseconds / 1000)
        #expect(snapshot.downloadSpeedMbps == download && snapshot.uploadSpeedMbps == upload)
        #expect(await NetworkHealth.snapshot().downloadSpeedMbps == nil, "a mock has measured nothing")
    }

    @Test func `a tester that throws leaves the speeds nil and the quality to the path`() async {
        struct Failing: SpeedTester {
            func measureSpeed() async throws -> SpeedTestResult { throw CancellationError() }
        }
        let snapshot = await NetworkHealth.detailedSnapshot(speedTester: Failing())
        #expect(snapshot.downloadSpeedMbps == nil && snapshot.uploadSpeedMbps == nil && snapshot.latency == nil)
        #expect(await snapshot.quality == NetworkHealth.snapshot().quality)
    }
}
