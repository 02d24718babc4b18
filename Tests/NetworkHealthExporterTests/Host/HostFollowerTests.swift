import Coordination
import Lab
import Logging
import NetworkHealth
import Probing
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct HostFollowerTests {
    private func snapshot(isOnline: Bool) -> SnapshotDocument {
        var document = SnapshotDocument(.online())
        document.online = isOnline
        document.internetState = (isOnline ? InternetState.online : .noInternet).rawValue
        return document
    }

    @Test func `after a stop the answer of the host decides, and not what it had reported before`() throws {
        let fixture = try CollectorFixture()
        let follower = try #require(fixture.follower)
        fixture.receive()
        // The fixture's own prober was attached after it.
        follower.lose()
        follower.take(snapshot(isOnline: false).json)
        #expect(fixture.health.current?.isOnline == false)
        // The stream says what it is now; an answer may be older than that.
        follower.take(snapshot(isOnline: true), nil)
        #expect(fixture.health.current?.isOnline == false)
        follower.askAgain()
        follower.take(nil, nil)
        #expect(fixture.health.current?.isOnline == false)
        follower.take(snapshot(isOnline: true), nil)
        #expect(fixture.health.current?.isOnline == true)
    }

    @Test func `a host that no longer knows whether it is online leaves its containers online for 15 s, and no longer`()
        throws
    {
        let fixture = try CollectorFixture()
        let follower = try #require(fixture.follower)
        fixture.receive()
        // The fixture's own prober was attached after it.
        follower.lose()
        follower.take(snapshot(isOnline: true).json)
        var unknown = snapshot(isOnline: true)
        (unknown.online, unknown.internetState) = (nil, nil)
        follower.take(unknown.json)
        follower.take(unknown, nil)
        #expect(fixture.health.current?.isOnline == true)
        follower.take(unknown, nil, at: .now + FollowedHost.longestDoubt)
        let state = try #require(fixture.health.current)
        #expect(state.isOnline == nil && state.internet?.isUnknownToHost == true)
        follower.take(snapshot(isOnline: true).json)
        #expect(fixture.health.current?.isOnline == true)
    }

    @Test func `the bytes of an error are no sign of life, those behind a snapshot are`() async throws {
        let answers = Locked([
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nevent: snapshot\ndata: \(String(decoding: snapshot(isOnline: true).json, as: UTF8.self))\n\n: ",
            "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n\(String(repeating: "no exporter ", count: 100))",
        ])
        let server = try RawServer { connection in
            connection.readHead()
            connection.send(answers.withLock { $0.removeFirst() })
        }
        defer { server.close() }
        var section = HostSection()
        section.url = server.url
        let log = LogRecorder()
        let follower = try #require(try HostFollower(section, host: HostMonitor(), logger: log.logger))
        let begin = follower.lastByte
        await follower.read()
        let heard = follower.lastByte
        #expect(follower.isUp && follower.complaint == nil && heard > begin)
        await follower.read()
        #expect(follower.lastByte == heard && follower.complaint == "it answers with status 502")
        // The report is that of a silent exporter by now.
        let lost = follower.lose()
        #expect(lost && !follower.isUp)
        for expected in [
            "info The exporter of the host answers",
            "warning The exporter of the host cannot be followed: it answers with status 502",
            "warning The exporter of the host is silent",
        ] {
            let line = await log.next()
            #expect(line?.hasPrefix(expected) == true, "\(line ?? "none")")
        }
    }

    @Test func `a page in the place of a stream is said to have no snapshot`() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<!doctype html>\n")
        }
        defer { server.close() }
        var section = HostSection()
        section.url = server.url
        let follower = try #require(try HostFollower(section, host: HostMonitor(), logger: LogRecorder().logger))
        await follower.read()
        #expect(!follower.isUp && follower.complaint == "its answer has no snapshot")
    }

    @Test func `a snapshot that cannot be read ends what the one before has said, and is logged once`() async throws {
        let fixture = try CollectorFixture()
        var section = HostSection()
        section.url = "http://127.0.0.1:9"
        let log = LogRecorder()
        let follower = try #require(try HostFollower(section, host: fixture.host, logger: log.logger))
        follower.take(snapshot(isOnline: true).json)
        #expect(follower.isUp)
        for _ in 0..<2 {
            follower.take(Array("{}".utf8))
            #expect(!follower.isUp)
        }
        follower.take(snapshot(isOnline: true).json)
        #expect(follower.isUp && follower.complaint == nil)
        for expected in [
            "info The exporter of the host answers", "warning The exporter of the host sends snapshots", "info",
        ] {
            let line = await log.next()
            #expect(line?.hasPrefix(expected) == true, "\(line ?? "none")")
        }
    }

    @Test func `a transfer that fails again is logged once, though its message has another time`() async throws {
        var section = HostSection()
        section.url = "http://127.0.0.1:\(try Loopback.closedPort())"
        let log = LogRecorder()
        let follower = try #require(try HostFollower(section, host: HostMonitor(), logger: log.logger))
        await follower.read()
        await follower.read()
        follower.take(Array("{}".utf8))
        let refused = await log.next()
        let next = await log.next()
        #expect(refused?.hasPrefix("warning The exporter of the host cannot be followed: ") == true)
        #expect(next?.hasPrefix("warning The exporter of the host sends snapshots") == true, "\(next ?? "none")")
    }

    @Test func `after a silence the host's verdict is only that of the path of now`() throws {
        let fixture = try CollectorFixture()
        let follower = try #require(fixture.follower)
        // The fixture's own prober was attached after it.
        follower.lose()
        follower.take(snapshot(isOnline: true).json)
        fixture.receive()
        follower.lose()
        fixture.receive(generation: 3)
        let generations = Locked<Set<UInt64>>([])
        _ = fixture.health.observe { state in
            guard let internet = state.internet else { return }
            generations.withLock { _ = $0.insert(internet.generation) }
        }
        follower.take(snapshot(isOnline: true).json)
        #expect(generations.withLock { $0 } == [3])
    }

    @Test func `what happens while a loss is reported comes after it`() throws {
        // The log is written in the middle of the loss; an event arrives then.
        let fixture = try CollectorFixture()
        struct Arrival { var call: (@Sendable () -> Void)? }
        let arrival = Locked(Arrival())
        let logger = Logger(label: "test") { _ in
            CallingLogHandler { if $0.contains("is silent") { arrival.withLock { $0.call.take() }?() } }
        }
        var section = HostSection()
        section.url = "http://127.0.0.1:9"
        let follower = try #require(try HostFollower(section, host: fixture.host, logger: logger))
        fixture.receive()
        follower.lose()
        follower.take(snapshot(isOnline: true).json)
        let offline = snapshot(isOnline: false).json
        arrival.withLock { $0.call = { [weak follower] in follower?.take(offline) } }
        follower.lose()
        #expect(follower.isUp && fixture.health.current?.isOnline == false)
    }
}

/// Hands over each message.
private struct CallingLogHandler: LogHandler {
    let call: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ call: @escaping @Sendable (String) -> Void) { self.call = call }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { call("\(event.message)") }
}
