import Glibc
import Lab
import Posix
import Testing

@testable import HTTPTransfer

struct LoopSocketTests {
    @Test func `a closed descriptor is not read when another socket has its number`() throws {
        let ledger = SocketLedger()
        let (number, peer) = try Self.used(8)
        let lost = ledger.add(number)
        let before = ledger.total
        #expect(before.received == 8)
        let (other, otherPeer) = try Self.used(1000)
        defer { for socket in [peer, otherPeer] { close(socket) } }
        // Closes the first one, without telling the ledger.
        #expect(dup2(other, number) == number)
        close(other)
        #expect(lost.number == nil && lost.localPort == nil && lost.congestionControl == nil)
        #expect(ledger.total.received == 8 && lost.carried.received.most < 1000)
        // The loop opens one that gets the same number.
        let next = ledger.add(number)
        #expect(next.number == number)
        #expect(ledger.total.received == 8 + 1000)
        ledger.close(number, rest: 0)
        #expect(ledger.total.received == 8 + 1000)
    }

    @Test func `of two connections with one local port the one with the peer is found`() throws {
        let ledger = SocketLedger()
        let (first, firstPeer) = try Self.used(1)
        let port = try #require(try SocketAddress.bound(to: first)).port
        let (second, secondPeer) = try Self.used(1, from: port)
        defer { for socket in [first, firstPeer, second, secondPeer] { close(socket) } }
        for number in [first, second] { _ = ledger.add(number) }
        for number in [first, second] {
            #expect(ledger.socket(from: port, to: try SocketAddress.peer(of: number))?.number == number)
        }
        #expect(ledger.socket(from: port, to: SocketAddress("127.0.0.1:1")) == nil)
        #expect(ledger.socket(from: 1, to: try SocketAddress.peer(of: first)) == nil)
    }

    /// A connection over loopback that has received so many bytes, and its other end; with a local port of its own without `port`.
    private static func used(_ count: Int, from port: UInt16 = 0) throws -> (Int32, Int32) {
        let listener = socket(AF_INET, SocketType.stream, 0)
        defer { close(listener) }
        let address = try #require(SocketAddress("127.0.0.1:\(try Loopback.bind(listener, ipv6: false, port: 0))"))
        let client = socket(AF_INET, SocketType.stream, 0)
        // So that two may have one port.
        var on: Int32 = 1
        setsockopt(client, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        _ = try Loopback.bind(client, ipv6: false, port: port)
        try #require(listen(listener, 1) == 0 && address.withPointer { connect(client, $0, $1) } == 0)
        let server = accept(listener, nil, nil)
        var bytes = [UInt8](repeating: 1, count: count)
        try #require(send(server, bytes, count, Int32(MSG_NOSIGNAL)) == count)
        try #require(recv(client, &bytes, count, Int32(MSG_WAITALL)) == count)
        return (client, server)
    }
}
