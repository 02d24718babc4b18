import Foundation
import Posix
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3)))
struct EventLogTests {
    private static let start = Date(timeIntervalSince1970: 7)
    private let log = EventLog(startedAt: start)

    private func publish(_ numbers: ClosedRange<Int>, _ kind: ServerSentEvent.Kind = .transition) {
        for number in numbers { log.publish(kind, Array("\(number)".utf8)) }
    }

    private func texts(_ reader: EventLog.Reader, _ count: Int) async -> [String] {
        var texts: [String] = []
        for await event in reader.events {
            texts.append(String(decoding: event.data, as: UTF8.self))
            if texts.count == count { break }
        }
        return texts
    }

    @Test func `a new reader gets the newest snapshot, then each event once`() async throws {
        publish(1...2, .snapshot)
        publish(3...3)
        let reader = try #require(log.follow())
        publish(4...5)
        #expect(await texts(reader, 3) == ["2", "4", "5"])
    }

    @Test func `a reader that connects again receives what it missed`() async throws {
        publish(1...150)
        let reader = try #require(log.follow(after: "7-100"))
        publish(151...151)
        #expect(await texts(reader, 51) == (101...151).map(String.init))
        let oldest = try #require(log.follow(after: "7-51"))
        #expect(await texts(oldest, 100) == (52...151).map(String.init))
    }

    @Test(arguments: ["7-48", "8-149", "7-151", "7-", "", "7--1", "7-99999999999999999999999", "nonsense"])
    func `an event number that is no longer kept begins with the newest snapshot`(id: String) async throws {
        publish(0...0, .snapshot)
        publish(2...150)
        let reader = try #require(log.follow(after: id))
        publish(151...151)
        #expect(await texts(reader, 2) == ["0", "151"])
    }

    @Test func `an address has a quarter of the readers, and an IPv6 network half`() {
        func follow(_ address: String) -> EventLog.Reader? { log.follow(peer: IPAddress(address)) }
        var readers: [EventLog.Reader?] = []
        for _ in 0..<EventLog.maxFromAddress { readers.append(follow("192.0.2.1")) }
        #expect(readers.allSatisfy { $0 != nil })
        #expect(follow("192.0.2.1") == nil && follow("192.0.2.2") != nil && follow("127.0.0.1") != nil)
        readers = []
        #expect(log.readerCount == 0)
        for number in 0..<EventLog.maxFromNetwork { readers.append(follow("2001:db8::\(number)")) }
        #expect(readers.allSatisfy { $0 != nil })
        #expect(follow("2001:db8::ffff") == nil && follow("2001:db8:0:1::1") != nil)
    }

    @Test func `there may be 256 readers, and one that ends makes room`() async throws {
        var readers = (0..<EventLog.maxReaders).map { _ in log.follow() }
        #expect(readers.allSatisfy { $0 != nil } && log.follow() == nil)
        readers.removeLast()
        #expect(log.readerCount == EventLog.maxReaders - 1 && log.follow() != nil)
    }

    @Test func `only the reader that falls behind is disconnected`() async throws {
        let stuck = try #require(log.follow())
        let reader = try #require(log.follow())
        var seen = 0
        for number in 1...400 {
            publish(number...number)
            seen += await texts(reader, 1).count
        }
        #expect(seen == 400 && log.readerCount == 1)
        for await _ in stuck.overflow {}
        var left = 0
        for await _ in stuck.events { left += 1 }
        #expect(left == 256)
    }

    @Test func `an event is written as the standard has it`() {
        let event = ServerSentEvent(id: "7-1", kind: .speedtest, data: Array("{}".utf8))
        #expect(String(decoding: event.bytes, as: UTF8.self) == "id: 7-1\nevent: speedtest\ndata: {}\n\n")
    }

    @Test func `progress is reported with each phase, else twice a second`() {
        var limiter = ProgressLimiter()
        #expect(limiter.allows(.latency, at: .zero) && !limiter.allows(.latency, at: .milliseconds(499)))
        #expect(limiter.allows(.latency, at: .milliseconds(500)) && limiter.allows(.download, at: .milliseconds(501)))
    }
}
