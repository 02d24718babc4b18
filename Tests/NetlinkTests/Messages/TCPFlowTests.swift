import CLinux
import Lab
import Netlink
import Posix
import Testing

struct TCPFlowTests {
    private static func recorded(_ fixture: RecordedNetlink) throws -> [TCPFlow] {
        try fixture.datagrams().flatMap { try Parse.messages($0) }.filter { $0.message.type == SOCK_DIAG_BY_FAMILY }
            .compactMap { try Parse.flow($0.payload) }.sorted { $0.localPort < $1.localPort }
    }

    private static func information(_ fields: [Int: UInt32], length: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        for (offset, value) in fields { bytes.replaceSubrange(offset..<offset + 4, with: Build.integer(value)) }
        return Build.attribute(INET_DIAG_INFO, bytes)
    }

    @Test func `reads recorded IPv4 sockets`() throws {
        let flows = try Self.recorded(.flows4)
        #expect(flows.map(\.localPort) == [4000, 4001, 4601])
        #expect(flows.map(\.remotePort) == [4001, 4000, 4600])
        #expect(flows.allSatisfy { $0.local.description == "127.0.0.1" && $0.remote == $0.local })
        #expect(flows.allSatisfy { $0.uid == 0 && $0.inode > 0 && $0.cookie > 0 })
        #expect(Set(flows.map(\.cookie)).count == 3 && Set(flows.map(\.inode)).count == 3)
    }

    @Test func `reads recorded IPv6 sockets, one of which carries IPv4`() throws {
        let flows = try Self.recorded(.flows6)
        #expect(flows.map(\.localPort) == [4600, 6000, 6001])
        #expect(flows.map(\.family) == [.ipv4, .ipv6, .ipv6])
        #expect(flows.map(\.remote.description) == ["127.0.0.1", "::1", "::1"])
        #expect(flows.map(\.local.description) == ["127.0.0.1", "::1", "::1"])
        // A SYN, its answer, an acknowledgement, then question and answer, each acknowledged: seven segments, of which
        // the kernel does not count the server's SYN-ACK as sent.
        #expect(flows.map(\.segmentsIn) == [4, 4, 3])
        #expect(flows.map(\.segmentsOut) == [2, 2, 4])
        #expect(flows.map(\.retransmitted) == [0, 0, 0])
        #expect(flows.map(\.rtt) == [.microseconds(14), .microseconds(14), .microseconds(32)])
        #expect(flows.map(\.minRTT) == [.microseconds(7), .microseconds(7), .microseconds(8)])
        #expect(flows.map(\.lastReceive) == [.zero, .zero, .zero])
    }

    @Test func `reads each field that the kernel is new enough to report`() throws {
        let fields: [Int: UInt32] = [56: 1500, 68: 20_000, 100: 3, 136: 10, 140: 20, 148: 10_000]
        let expected: [(length: Int, known: Int)] = [
            (59, 0), (60, 1), (71, 1), (72, 2), (103, 2), (104, 3), (139, 3), (140, 4), (143, 4), (144, 5), (151, 5),
            (152, 6), (280, 6),
        ]
        for (length, known) in expected {
            let present = fields.filter { $0.key + 4 <= length }
            let flow = try #require(try Parse.flow(Build.flow(Self.information(present, length: length))))
            #expect(flow.lastReceive == (known > 0 ? .milliseconds(1500) : nil), "\(length)")
            #expect(flow.rtt == (known > 1 ? .milliseconds(20) : nil), "\(length)")
            #expect(flow.retransmitted == (known > 2 ? 3 : nil), "\(length)")
            #expect(flow.segmentsOut == (known > 3 ? 10 : nil), "\(length)")
            #expect(flow.segmentsIn == (known > 4 ? 20 : nil), "\(length)")
            #expect(flow.minRTT == (known > 5 ? .milliseconds(10) : nil), "\(length)")
        }
    }

    @Test func `reads the values before the first measurement as unknown`() throws {
        let flow = try Parse.flow(Build.flow(Self.information([68: 0, 148: .max], length: 280)))
        #expect(flow?.rtt == nil && flow?.minRTT == nil)
    }

    @Test func `timeouts that doubled add up to the age of the oldest segment, as long as they can double`() throws {
        func age(after timeouts: UInt32, current: UInt32) throws -> Duration? {
            // TCP_ESTABLISHED, and 500 ms since the last segment.
            let fields = [0: timeouts << 16 | 1, 8: current, 44: 500]
            return try Parse.flow(Build.flow(Self.information(fields, length: 280)))?.unansweredFor
        }
        #expect(try age(after: 0, current: 200_000) == nil)
        #expect(try age(after: 3, current: 1_600_000) == .milliseconds(1900))
        #expect(try age(after: 9, current: 102_400_000) == .milliseconds(102_700))
        #expect(try age(after: 12, current: 120_000_000) == nil)
    }

    @Test func `reads the identity of a socket`() throws {
        let flow = try #require(try Parse.flow(Build.flow(cookie: 0x0102_0304_0506_0708)))
        #expect(flow.cookie == 0x0102_0304_0506_0708)
        #expect(flow.local.description == "198.18.0.1" && flow.localPort == 0x1234)
        #expect(flow.remote.description == "198.18.0.2" && flow.remotePort == 443)
        #expect(flow.uid == 1000 && flow.inode == 4711)
    }

    @Test func `ignores another family, and refuses what is cut`() throws {
        #expect(try Parse.flow(Build.flow(family: 1)) == nil)
        #expect(throws: NetlinkError.truncated(what: "socket", offset: 71)) {
            try Parse.flow(Array(Build.flow().dropLast()))
        }
    }
}
