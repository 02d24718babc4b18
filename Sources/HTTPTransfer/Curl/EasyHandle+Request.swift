import CCurl
import Posix

extension EasyHandle {
    /// How much later than the loop libcurl would end a transfer, in milliseconds.
    private static let grace = 10_000

    /// Sets everything that libcurl has to know about a transfer.
    func prepare(for running: RunningTransfer) throws(OptionError) {
        let checked = running.transfer.checked
        let request = checked.request
        try set(CURLOPT_URL, checked.url)
        try set(CURLOPT_HTTPHEADER, list: checked.headerLines)
        try set(CURLOPT_USERAGENT, running.runner.defaults.userAgent)
        try applyDefaults()
        try setMethod(request)
        try setConnection(request, connectTo: checked.connectTo)
        try setTimes(running)
        if checked.destination.isTLS { try setTLS(request.tls, systemCAFile: running.runner.defaults.caFile) }
        try setCallbacks(running)
        // Only the log mentions a TCP connection whose handshake has failed, and is written before a certificate is refused.
        if checked.destination.isTLS {
            try check(nhe_curl_on_text(pointer, connectionText, Unmanaged.passUnretained(running).toOpaque()))
        }
    }

    /// Sets what is the same for every transfer.
    func applyDefaults() throws(OptionError) {
        try set(CURLOPT_NOSIGNAL, true)
        // A transfer never uses what another one has found.
        try set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try set(CURLOPT_PATH_AS_IS, true)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    }

    private func setMethod(_ request: TransferRequest) throws(OptionError) {
        // -1: chunked.
        let length = request.body.length ?? -1
        switch request.method {
        case .get: break
        case .head: try set(CURLOPT_NOBODY, true)
        case .post:
            try set(CURLOPT_POST, true)
            try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: length)
        case .put, .patch, .delete:
            if request.hasBody || request.method != .delete {
                try set(CURLOPT_UPLOAD, true)
                try set(CURLOPT_INFILESIZE_LARGE, offset: length)
            }
            if request.method != .put { try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
        }
    }

    private func setConnection(_ request: TransferRequest, connectTo: String?) throws(OptionError) {
        // Empty, so that the environment is ignored.
        try set(CURLOPT_PROXY, request.proxy ?? "")
        try set(CURLOPT_NOPROXY, "")
        if let connectTo { try set(CURLOPT_CONNECT_TO, list: [connectTo]) }
        if let device = request.interface { try set(CURLOPT_INTERFACE, "if!\(device)") }
        let family: Int =
            switch request.family {
            case nil: Int(CURL_IPRESOLVE_WHATEVER)
            case .ipv4: Int(CURL_IPRESOLVE_V4)
            case .ipv6: Int(CURL_IPRESOLVE_V6)
            }
        try set(CURLOPT_IPRESOLVE, family)
        try set(CURLOPT_FRESH_CONNECT, request.usesFreshConnection)
        try set(CURLOPT_FORBID_REUSE, request.usesFreshConnection)
        try set(CURLOPT_BUFFERSIZE, request.bufferSize)
        if request.meter != nil, request.hasBody { try set(CURLOPT_UPLOAD_BUFFERSIZE, request.bufferSize) }
    }

    /// Sets what is left of the time, once more after a lookup.
    ///
    /// libcurl ends a transfer whose time is over before it reads what has arrived. The loop reads first, so libcurl's
    /// limit is later, and at most 24 days.
    func setTimes(_ running: RunningTransfer) throws(OptionError) {
        let now = ContinuousClock.now
        // 0 would be no deadline at all.
        let remaining = max(1, now.duration(to: running.transfer.deadline).wholeMilliseconds)
        try set(CURLOPT_TIMEOUT_MS, Int(remaining) + Self.grace)
        let connecting = max(1, now.duration(to: running.connectDeadline).wholeMilliseconds)
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(connecting, remaining)))
    }

    func setTLS(_ tls: TransferTLS, systemCAFile: String) throws(OptionError) {
        try set(CURLOPT_SSL_VERIFYPEER, !tls.skipsVerification)
        try set(CURLOPT_SSL_VERIFYHOST, tls.skipsVerification ? 0 : 2)
        try set(CURLOPT_CAINFO, tls.caFile ?? systemCAFile)
        // Else Debian's directory is trusted beside the file, and read whole at each handshake.
        try set(CURLOPT_CAPATH, nil)
        try set(CURLOPT_SSLCERT, tls.certificateFile)
        try set(CURLOPT_SSLKEY, tls.keyFile ?? tls.certificateFile)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Every handshake is a whole one, so that its time means the same and the chain is shown.
        try set(CURLOPT_SSL_SESSIONID_CACHE, false)
    }

    private func setCallbacks(_ running: RunningTransfer) throws(OptionError) {
        let context = Unmanaged.passUnretained(running).toOpaque()
        try check(nhe_curl_on_receive(pointer, receiveBody, context))
        try check(nhe_curl_on_header(pointer, receiveHeader, context))
        try check(nhe_curl_on_send(pointer, sendBody, context))
        try check(nhe_curl_on_seek(pointer, rewindBody, context))
        try check(nhe_curl_on_open(pointer, openSocket, context))
        try check(nhe_curl_on_connected(pointer, connectionReady, context))
        // libcurl calls it for a literal address too, where it starts no thread.
        if running.transfer.checked.names.areNamesOnly {
            try check(nhe_curl_on_lookup(pointer, refuseLookup, context))
        }
        try check(nhe_curl_on_close(pointer, closeSocket, Unmanaged.passUnretained(running.runner).toOpaque()))
    }
}

extension TransferRequest {
    var hasBody: Bool {
        switch body {
        case .none: false
        case .bytes, .stream, .repeating: true
        }
    }

    /// Allocated for each transfer: little for those whose body is small.
    fileprivate var bufferSize: Int {
        switch sink {
        // The most that libcurl takes.
        case .discard where meter != nil, .discardUnlessRefused where meter != nil: 524_288
        case .collect: 16_384
        case .discard, .discardUnlessRefused, .stream: 102_400
        }
    }
}

extension TransferRequest.Body {
    /// nil: it is not known.
    var length: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let length, _): length
        case .repeating(let bytes, let length, let head, let tail):
            bytes.isEmpty ? 0 : max(length, Int64(head.count + tail.count))
        }
    }

    /// Of a repeating body the bytes from an offset on, as many as are together; nil at its end.
    func repeated(at offset: Int64) -> ArraySlice<UInt8>? {
        guard case .repeating(let bytes, _, let head, let tail) = self, let length, offset >= 0, offset < length else {
            return nil
        }
        let end = length - Int64(tail.count)
        if offset < head.count { return head[Int(offset)...] }
        if offset >= end { return tail[Int(offset - end)...] }
        let start = Int((offset - Int64(head.count)) % Int64(bytes.count))
        return bytes[start...].prefix(Int(clamping: end - offset))
    }
}
