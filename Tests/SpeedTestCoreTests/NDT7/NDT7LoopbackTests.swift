import Coordination
import Glibc
import Lab
import SpeedTestCore
import Testing

/// Our client against our server, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct NDT7LoopbackTests {
    @Test func `a byte limit that leaves no window is reported as too small`() async throws {
        let server = try NDT7TestServer()
        var timing = NDT7Timing.quick
        timing.shortestCapped = .seconds(1)
        let measurement = try NDT7Measurement.make(server.url, timing: timing) {
            $0.byteLimit = [.download: 100_000]
            $0.window = .seconds(5) ... .seconds(10)
        }
        let failure = await #expect(throws: SpeedTestFailure.self) { try await measurement.measure(.download) }
        server.close()
        #expect(failure?.reason == .short)
    }

    @Test(arguments: Direction.allCases)
    func `device and congestion control are as configured`(direction: Direction) async throws {
        var limits = NDT7Limits()
        limits.congestionControl = "reno"
        let server = try NDT7TestServer(limits: limits)
        var named = SpeedTestServer(name: "test", dialect: .ndt7, url: server.url)
        named.congestionControl = "reno"
        var options = SpeedTestOptions()
        options.window = .milliseconds(300) ... .milliseconds(600)
        func measure() async throws(SpeedTestFailure) -> DirectionReport {
            let account = TrafficAccount()
            return try await NDT7Measurement(
                server: named,
                options: options,
                account: account,
                userAgent: "test",
                timing: .quick
            ).measure(direction)
        }
        options.interface = "lo"
        #expect(try await measure().congestionControl == "reno")
        options.interface = "nhe-none"
        let failure = await #expect(throws: SpeedTestFailure.self) { try await measure() }
        #expect(failure?.reason == .unreachable && failure?.message.contains("nhe-none") == true)
        options.interface = nil
        named.congestionControl = "nobodys"
        let other = await #expect(throws: SpeedTestFailure.self) { try await measure() }
        #expect(other?.message.contains("nobodys") == true)
        server.close()
    }

    @Test func `tests leave no descriptor behind`() async throws {
        let server = try NDT7TestServer()
        let measurement = try NDT7Measurement.make(server.url) { $0.window = .milliseconds(50) ... .milliseconds(60) }
        _ = try await measurement.measure(.download)
        let sockets = try connections(to: server.url)
        for direction in [Direction.upload, .download, .upload] { _ = try await measurement.measure(direction) }
        _ = try await measurement.idleLatency { _ in }
        let closed = try NDT7Measurement.make("ws://127.0.0.1:\(try Loopback.closedPort())")
        let failure = await #expect(throws: SpeedTestFailure.self) { try await closed.measure(.download) }
        #expect(failure?.reason == .unreachable)
        #expect(try connections(to: server.url) <= sockets)
        server.close()
    }
}

/// How many descriptors of this process are connected to the port of a URL of 127.0.0.1, which no other test has.
private func connections(to url: String) throws -> Int {
    let port = try #require(UInt16(url.split(separator: ":")[2].prefix { $0.isNumber }))
    return (0..<4096).count { descriptor in
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &length) }
        }
        return code == 0 && Int32(address.sin_family) == AF_INET && UInt16(bigEndian: address.sin_port) == port
    }
}
