import Glibc
import Posix

/// Shapes the sockets that libcurl tries addresses with.
///
/// Not Sendable: libcurl calls back on the thread that drives it.
final class ByteSocketOptions {
    private let request: ByteConnectionRequest
    /// Why the last socket could not be had.
    private(set) var objection: (reason: TransferError.Reason, message: String)?

    init(_ request: ByteConnectionRequest) { self.request = request }

    /// Opens one; negative where it cannot be as was asked for.
    func open(family: Int32, type: Int32, protocol number: Int32) -> Int32 {
        let socket = Glibc.socket(family, type | SocketType.flags, number)
        guard socket >= 0 else {
            let code = errno
            let reason: TransferError.Reason = SystemError.isLocalLimit(code) ? .local : .unreachable
            objection = (reason, "no socket: \(SystemError.message(code))")
            return -1
        }
        guard !DescriptorReserve().contains(socket) else {
            _ = Glibc.close(socket)
            objection = (.local, "no socket: \(SystemError.message(EMFILE))")
            return -1
        }
        objection = shape(socket)
        guard objection != nil else { return socket }
        _ = Glibc.close(socket)
        return -1
    }

    private func shape(_ socket: Int32) -> (reason: TransferError.Reason, message: String)? {
        if let device = request.interface {
            let code = SocketOptions.bind(socket, toDevice: device)
            guard code == 0 else { return (.unreachable, "cannot bind to \(device): \(SystemError.message(code))") }
        }
        if let name = request.congestionControl {
            let code = SocketOptions.setCongestionControl(socket, name)
            guard code == 0 else {
                return (.invalidRequest, "congestion control \(name): \(SystemError.message(code))")
            }
        }
        if let limit = request.unsentLimit {
            let code = SocketOptions.setUnsentLimit(socket, limit)
            guard code == 0 else { return (.invalidRequest, "TCP_NOTSENT_LOWAT: \(SystemError.message(code))") }
        }
        return nil
    }
}
