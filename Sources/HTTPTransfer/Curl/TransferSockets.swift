import CCurl
import Glibc
import Posix

/// What connections are opened with.
package struct TransferSockets: Sendable, Equatable {
    /// TCP_CONGESTION; nil: the system's.
    package var congestionControl: String?
    /// Bytes that may wait in the kernel to be sent (TCP_NOTSENT_LOWAT); nil: as many as its buffer holds.
    package var notSentLowWater: Int32?
    /// A close drops what was not sent yet, instead of sending it.
    package var resetsOnClose = false

    package init(congestionControl: String? = nil) {
        self.congestionControl = congestionControl
    }

    /// Opens a socket for an address that libcurl is about to connect to.
    ///
    /// - Parameters:
    ///   - address: its family, type and protocol count.
    ///   - device: bound to it; nil: to none.
    /// - Returns: the socket, with these options set.
    /// - Throws: why it could not be opened or prepared.
    func open(for address: curl_sockaddr, boundTo device: String? = nil) throws(Objection) -> Descriptor {
        do throws(SystemError) {
            let (family, type, number) = (address.family, address.socktype, address.protocol)
            let socket = try Descriptor.openSocket(family: family, type: type, protocol: number)
            if let device { try socket.restrict(toDevice: device) }
            if let limit = notSentLowWater { SocketOptions.setUnsentLimit(socket.number, limit) }
            if resetsOnClose { SocketOptions.dropUnsentOnClose(socket.number) }
            guard let name = congestionControl else { return socket }
            let code = SocketOptions.setCongestionControl(socket.number, name)
            if code == 0 { return socket }
            throw SystemError(call: "congestion control \(name)", code: code)
        } catch {
            throw Objection(error, device: device)
        }
    }
}

/// Why a callback refused what libcurl asked for; it outranks the code that libcurl then ends with.
struct Objection: Error {
    let reason: TransferError.Reason
    let message: String

    init(_ reason: TransferError.Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Whether it says more about the transfer than `failure`, with which libcurl ended it.
    ///
    /// An address that was not tried matters only if no other one was, or if those are not to be reached while a limit of
    /// this machine prevented the try: the target may be up then.
    func outranks(_ failure: Failure, systemError: Int32) -> Bool {
        failure.phase != .connect || systemError == 0 || reason == .local && failure.reason == .unreachable
    }

    /// A socket could not be opened.
    fileprivate init(_ error: SystemError, device: String?) {
        let text = "\(error.call): \(SystemError.message(error.code))"
        switch error.code {
        case ENODEV: self.init(.unreachable, "no device \(device ?? "")")
        case _ where error.call.hasPrefix("congestion control"): self.init(.invalidRequest, text)
        case _ where SystemError.isLocalLimit(error.code): self.init(.local, text)
        default: self.init(.unreachable, text)
        }
    }
}
