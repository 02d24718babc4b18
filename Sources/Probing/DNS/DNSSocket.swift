import Glibc
import Posix

/// A non-blocking UDP or TCP socket that is connected to one server, or about to be.
struct DNSSocket: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let family: AddressFamily

    /// Opens and connects; a TCP connection is established once the socket is writable and `checkConnection` does not
    /// throw.
    init(_ type: Int32, to server: DNSServer) throws(DNSProbeError) {
        do throws(SystemError) {
            let opened = try Descriptor.openSocket(family: server.address.ip.family.number, type: type, protocol: 0)
            if let device = server.device { try opened.restrict(toDevice: device) }
            let family = server.address.ip.family
            let code = SocketOptions.setRouterErrors(opened.number, true, family)
            // TCP has it since Linux 5.9 only.
            guard code == 0 || type == SocketType.stream else { throw SystemError(call: "setsockopt", code: code) }
            try opened.connect(to: server.address)
            self.family = family
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
        guard code == 0 else { throw failure(of: "connect", code) }
        SocketOptions.setRouterErrors(number, false, family)
    }

    private func failure(of call: String, _ code: Int32) -> DNSProbeError {
        var error = DNSProbeError(SystemError(call: call, code: code))
        error.refusal = RouterError.take(from: number).map { Refusal($0) }
        return error
    }

    /// Returns the number of bytes sent: a whole datagram, a part of a stream, or 0.
    func send(_ bytes: ArraySlice<UInt8>) throws(DNSProbeError) -> Int {
        let count = bytes.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw failure(of: "send", errno) }
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
        default: throw failure(of: "receive", code)
        }
    }
}

extension Descriptor {
    fileprivate borrowing func connect(to address: SocketAddress) throws(SystemError) {
        guard address.withPointer({ Glibc.connect(number, $0, $1) }) == 0 || errno == EINPROGRESS else {
            throw SystemError(call: "connect", code: errno)
        }
    }
}
