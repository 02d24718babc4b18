import CCurl
import Glibc
package import Posix

/// Where a connection of bytes goes and how it is made.
package struct ByteConnectionRequest: Sendable {
    /// An absolute http or https URL, of which scheme, host and port count: https makes TLS.
    package var url: String
    /// For the name, TCP and TLS together.
    package var timeout: Duration = .seconds(7)
    /// Used instead of a lookup of the host; TLS still verifies the host of the URL.
    package var address: IPAddress?
    /// Asked about each address before it is connected to; false refuses it.
    package var mayConnect: (@Sendable (SocketAddress) -> Bool)?
    /// Bound to this device (SO_BINDTODEVICE); nil: the kernel chooses.
    package var interface: String?
    package var sockets = TransferSockets()
    package var tls = TransferTLS()
    /// Finds the addresses of the host.
    package var resolver: any NameResolving = SystemResolver.shared

    package init(url: String) { self.url = url }
}

/// A TCP or TLS connection for raw bytes, established by libcurl (CURLOPT_CONNECT_ONLY), for the thread that made it.
///
/// Making and waiting block: never on the cooperative pool. Sending and receiving never wait. It is closed at the
/// end of its lifetime.
package struct ByteConnection: ~Copyable {
    /// What `receive` found.
    package enum Received: Equatable {
        case bytes(Int)
        /// Nothing yet.
        case nothing
        /// The other side sends no more.
        case end
    }

    private let easy: EasyHandle
    /// The easy handle stays in it: outside, libcurl would close the connection.
    private let multi: UnsafeMutableRawPointer
    private let authority: String
    /// For `poll` and for options; valid as long as this value.
    package let socket: Int32
    /// Where it leads.
    package let address: IPAddress?
    /// What TCP's handshake took, by libcurl's clock.
    package let connectTime: Duration

    /// Makes it, within the request's timeout and only until `signal` is stopped.
    package init(_ request: ByteConnectionRequest, until signal: LoopSignal) throws(TransferError) {
        let deadline = ContinuousClock.now + request.timeout
        let (easy, multi, url) = try Self.handles(for: request)
        let authority = url.authority
        let opener = ByteSocketOpener(request)
        // libcurl has a pointer to it while it connects.
        defer { withExtendedLifetime(opener) {} }
        do throws(TransferError) {
            let names = NamesToResolve(url, proxy: nil, family: nil)
            if request.address == nil, !names.isEmpty {
                opener.addresses = try Self.lookUp(names, with: request.resolver, deadline, until: signal, authority)
            }
            try Self.prepare(easy, request, opener, deadline, authority)
            let code = try Self.connect(easy, in: multi, deadline, until: signal, authority)
            guard code == CURLE_OK, let socket = easy.socket else {
                throw Self.error(code, of: easy, opener, authority)
            }
            self.socket = socket
        } catch {
            curl_multi_remove_handle(multi, easy.pointer)
            curl_multi_cleanup(multi)
            throw error
        }
        nhe_curl_on_open(easy.pointer, nil, nil)
        self.easy = easy
        self.multi = multi
        self.authority = authority
        address = easy.text(CURLINFO_PRIMARY_IP).flatMap { IPAddress($0) }
        connectTime = .microseconds(easy.offset(CURLINFO_CONNECT_TIME_T) - easy.offset(CURLINFO_NAMELOOKUP_TIME_T))
    }

    deinit {
        curl_multi_remove_handle(multi, easy.pointer)
        curl_multi_cleanup(multi)
    }

    /// Receives what is there.
    ///
    /// TLS may keep bytes back, so receive until there is nothing before waiting.
    package borrowing func receive(into buffer: inout [UInt8]) throws(TransferError) -> Received {
        var count = 0
        let code = buffer.withUnsafeMutableBytes { curl_easy_recv(easy.pointer, $0.baseAddress, $0.count, &count) }
        switch code {
        case CURLE_OK: return count == 0 ? .end : .bytes(count)
        case CURLE_AGAIN: return .nothing
        default: throw error(code, "receiving")
        }
    }

    /// Passes bytes to the kernel as far as it accepts them, and returns how many; 0: wait first.
    ///
    /// After a 0 the same bytes have to be offered again, since TLS may have begun to send them.
    package borrowing func send(_ bytes: RawSpan) throws(TransferError) -> Int {
        var count = 0
        let code = bytes.withUnsafeBytes { curl_easy_send(easy.pointer, $0.baseAddress, $0.count, &count) }
        switch code {
        case CURLE_OK: return count
        case CURLE_AGAIN: return 0
        default: throw error(code, "sending")
        }
    }

    /// Waits until there is something to receive, or where asked for room to send, until `signal` is stopped, or until
    /// the time is over.
    package borrowing func wait(forRoom: Bool, upTo timeout: Duration, or signal: LoopSignal) {
        var descriptors = [
            pollfd(fd: socket, events: Int16(forRoom ? POLLIN | POLLOUT : POLLIN), revents: 0),
            pollfd(fd: signal.number, events: Int16(POLLIN), revents: 0),
        ]
        Poll.wait(for: &descriptors, upTo: max(timeout, .zero))
    }

    /// Makes the close drop what the kernel has not sent yet, with a reset.
    package borrowing func dropUnsent() {
        SocketOptions.dropUnsentOnClose(socket)
    }

    private borrowing func error(_ code: CURLcode, _ activity: String) -> TransferError {
        let text = "\(authority): \(activity): \(easy.message(for: code))"
        return TransferError(.protocolViolation, phase: .transfer, message: text)
    }
}
