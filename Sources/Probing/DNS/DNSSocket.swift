import Glibc
import Posix

/// A non-blocking UDP or TCP socket that is connected to one server, or about to be.
struct DNSSocket: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// Opens and connects; a TCP connection is established once the socket is writable and `checkConnection` does not
    /// throw.
    init(_ type: Int32, to server: DNSServer) throws(DNSProbeError) {
        do throws(SystemError) {
            let opened = try Descriptor.openSocket(family: server.address.ip.family.number, type: type, protocol: 0)
            if let device = server.device { try opened.restrict(toDevice: device) }
            try opened.reportRouterErrors(server.address.ip.family)
            try opened.connect(to: server.address)
            descriptor = opened
        } catch {
            throw DNSProbeError(error)
        }
    }

    /// For waiting.
    var number: Int32 { descriptor.number }

    /// Throws why a connection could not be made.
    func checkConnection() throws(DNSProbeError) {
        let code = descriptor.takeError()
        guard code == 0 else { throw DNSProbeError(SystemError(call: "connect", code: code)) }
    }

    /// Returns the number of bytes sent: a whole datagram, a part of a stream, or 0.
    func send(_ bytes: ArraySlice<UInt8>) throws(DNSProbeError) -> Int {
        let count = bytes.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw DNSProbeError(SystemError(call: "send", code: errno)) }
        return 0
    }

    /// A datagram, or the next bytes of a stream, empty at its end; nil: nothing yet.
    func receive() throws(DNSProbeError) -> [UInt8]? {
        var code: Int32 = 0
        // No message is longer: its length has 16 bits over TCP, and so has that of a datagram.
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_535) { buffer, count in
            let received = recv(number, buffer.baseAddress, buffer.count, 0)
            code = received < 0 ? errno : 0
            count = max(0, received)
        }
        switch code {
        case 0: return bytes
        case EAGAIN, EINTR: return nil
        default: throw DNSProbeError(SystemError(call: "receive", code: code))
        }
    }
}

extension Descriptor {
    /// Without it, a UDP socket reports closed ports but not the ICMP errors of routers (ip(7), ipv6(7)).
    fileprivate borrowing func reportRouterErrors(_ family: AddressFamily) throws(SystemError) {
        switch family {
        case .ipv4: try setOption(Int32(IPPROTO_IP), IP_RECVERR, to: 1)
        case .ipv6: try setOption(Int32(IPPROTO_IPV6), IPV6_RECVERR, to: 1)
        }
    }

    fileprivate borrowing func connect(to address: SocketAddress) throws(SystemError) {
        guard address.withPointer({ Glibc.connect(number, $0, $1) }) == 0 || errno == EINPROGRESS else {
            throw SystemError(call: "connect", code: errno)
        }
    }
}
