import Testing

@testable import SpeedTestCore

struct LoadedProbesTests {
    @Test func `round trips a minute are the mean of both kinds, as the draft has it`() throws {
        var probes = LoadedProbes()
        probes.same = Array(repeating: .milliseconds(100), count: 8)
        probes.foreign = [.init(connect: .milliseconds(50), tls: nil, http: .milliseconds(150))]
        // 600 by either.
        #expect(abs(try #require(probes.responsiveness) - 600) < 0.001)
        probes.foreign[0].tls = .milliseconds(400)
        // A third of 50, 400 and 150 is 200 ms: 300.
        #expect(abs(try #require(probes.responsiveness) - 450) < 0.001)
        probes.foreign = []
        #expect(abs(try #require(probes.responsiveness) - 600) < 0.001)
    }

    @Test func `fewer than eight samples have no result`() {
        var probes = LoadedProbes()
        probes.same = Array(repeating: .milliseconds(100), count: 7)
        #expect(probes.latency == nil && probes.responsiveness == nil)
    }

    @Test func `the worst twentieth is left out of the mean`() throws {
        var probes = LoadedProbes()
        probes.same = Array(repeating: .milliseconds(10), count: 19) + [.seconds(3)]
        #expect(abs(try #require(probes.responsiveness) - 6000) < 0.001)
    }

    @Test func `latency under load is the upper quartile, which a lost probe hardly moves`() {
        var probes = LoadedProbes()
        probes.same = [150, 160, 170, 180, 190, 200, 195, 185].map { .milliseconds($0) }
        #expect(probes.latency == .milliseconds(190))
        probes.same[0] = .seconds(3)
        #expect(probes.latency == .milliseconds(195))
    }
}
