import CCurl
import Glibc
import Posix

extension ByteConnection {
    /// Checks the request and makes what it needs.
    static func handles(
        for request: ByteConnectionRequest
    ) throws(TransferError) -> (EasyHandle, multi: UnsafeMutableRawPointer, url: WebURL) {
        guard let url = WebURL(request.url) else {
            throw TransferError(.invalidRequest, phase: .resolve, message: "not an absolute http or https URL")
        }
        guard CurlLibrary.initialization == CURLE_OK, let easy = EasyHandle(), let multi = curl_multi_init() else {
            throw TransferError(.local, phase: .resolve, message: "\(url.authority): no memory")
        }
        return (easy, multi, url)
    }

    /// Waits for the addresses of the host, or for the stop.
    static func lookUp(
        _ names: NamesToResolve,
        with resolver: any NameResolving,
        _ deadline: ContinuousClock.Instant,
        until signal: LoopSignal,
        _ authority: String
    ) throws(TransferError) -> ResolvedNames {
        let answer: Mailbox<Result<ResolvedNames, NamesToResolve.Failure>>
        do throws(SystemError) {
            answer = try Mailbox(capacity: 1)
        } catch {
            throw TransferError(.local, phase: .resolve, message: "\(authority): \(error)")
        }
        let lookup = Task(name: "name lookup") { _ = answer.post(await names.resolve(with: resolver, until: deadline)) }
        defer { lookup.cancel() }
        while !signal.isStopped {
            if let found = answer.take().messages.first {
                do throws(NamesToResolve.Failure) {
                    return try found.get()
                } catch {
                    throw TransferError(error.reason, phase: .resolve, message: "\(authority): \(error.message)")
                }
            }
            answer.wait(or: signal.number)
        }
        throw TransferError(.cancelled, phase: .resolve, message: "\(authority): cancelled")
    }

    static func prepare(
        _ easy: EasyHandle,
        _ request: ByteConnectionRequest,
        _ opener: ByteSocketOpener,
        _ deadline: ContinuousClock.Instant,
        _ authority: String
    ) throws(TransferError) {
        do {
            try easy.set(CURLOPT_URL, request.url)
            try easy.applyDefaults()
            try easy.set(CURLOPT_CONNECT_ONLY, 1)
            try easy.set(CURLOPT_PROXY, "")
            try easy.set(CURLOPT_NOPROXY, "")
            if let address = request.address {
                try easy.set(CURLOPT_CONNECT_TO, list: [address.family == .ipv6 ? "::[\(address)]:" : "::\(address):"])
            }
            if let addresses = opener.addresses {
                try easy.set(addresses: addresses)
                try easy.check(nhe_curl_on_lookup(easy.pointer, refuseByteLookup, nil))
            }
            let remaining = ContinuousClock.now.duration(to: deadline)
            try easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, remaining.wholeMilliseconds)))
            // What one `receive` can bring.
            try easy.set(CURLOPT_BUFFERSIZE, 262_144)
            try easy.setTLS(request.tls, systemCAFile: TransferDefaults.systemCAFile)
            let context = Unmanaged.passUnretained(opener).toOpaque()
            try easy.check(nhe_curl_on_open(easy.pointer, openByteSocket, context))
        } catch {
            throw TransferError(
                .invalidRequest,
                phase: .resolve,
                message: "\(authority): \(String(cString: curl_easy_strerror(error.code)))"
            )
        }
    }

    /// Drives libcurl until the connection is established or has failed.
    static func connect(
        _ easy: EasyHandle,
        in multi: UnsafeMutableRawPointer,
        _ deadline: ContinuousClock.Instant,
        until signal: LoopSignal,
        _ authority: String
    ) throws(TransferError) -> CURLcode {
        guard curl_multi_add_handle(multi, easy.pointer) == CURLM_OK else {
            throw TransferError(.local, phase: .resolve, message: "\(authority): no memory")
        }
        while true {
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            var code = CURLE_OK
            if nhe_curl_next_ended(multi, &code) != nil { return code }
            guard !signal.isStopped else {
                throw TransferError(.cancelled, phase: phase(of: easy), message: "\(authority): cancelled")
            }
            let remaining = ContinuousClock.now.duration(to: deadline)
            guard remaining > .zero else { return CURLE_OPERATION_TIMEDOUT }
            // A stop ends the wait.
            var extra = curl_waitfd(fd: signal.number, events: Int16(CURL_WAIT_POLLIN), revents: 0)
            curl_multi_poll(multi, &extra, 1, Int32(clamping: remaining.wholeMilliseconds + 1), nil)
        }
    }

    static func error(
        _ code: CURLcode,
        of easy: EasyHandle,
        _ opener: ByteSocketOpener,
        _ authority: String
    ) -> TransferError {
        let systemError = Int32(clamping: easy.number(CURLINFO_OS_ERRNO))
        let failure = Failure(code, systemError: systemError)
        if let objection = opener.objection, objection.outranks(failure, systemError: systemError) {
            return TransferError(objection.reason, phase: .connect, message: "\(authority): \(objection.message)")
        }
        return TransferError(
            failure.reason,
            phase: failure.phase ?? phase(of: easy),
            message: "\(authority): \(easy.message(for: code))"
        )
    }

    private static func phase(of easy: EasyHandle) -> TransferError.Phase {
        easy.offset(CURLINFO_NAMELOOKUP_TIME_T) == 0
            ? .resolve : easy.offset(CURLINFO_CONNECT_TIME_T) == 0 ? .connect : .tls
    }
}

/// Opens the sockets with which libcurl tries addresses.
///
/// Not Sendable: libcurl calls back on the thread that drives it.
final class ByteSocketOpener {
    private let request: ByteConnectionRequest
    /// Why the last socket could not be opened.
    private(set) var objection: Objection?
    /// Where the host leads; nil without a lookup.
    var addresses: ResolvedNames?

    init(_ request: ByteConnectionRequest) { self.request = request }

    /// Opens one; negative where it fails.
    func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        if let scope = SocketAddress(address).flatMap({ addresses?.scope(of: $0) }) { address.set(scope: scope) }
        do throws(Objection) {
            if let address = SocketAddress(address), request.mayConnect?(address) == false {
                throw Objection(.forbidden, "\(address.ip) port \(address.port) is not allowed")
            }
            let socket = try request.sockets.open(for: address.pointee, boundTo: request.interface).release()
            if objection?.reason != .local { objection = nil }
            return socket
        } catch {
            objection = error
            return -1
        }
    }
}
