import CCurl
import FoundationEssentials
import Glibc
import Posix

/// A transfer under way: what libcurl's callbacks read and change.
///
/// Not Sendable: it stays on the loop's thread, which is also where libcurl calls back.
final class RunningTransfer {
    let transfer: Transfer
    let easy: EasyHandle
    let continuation: CheckedContinuation<Transfer.Outcome, Never>
    /// Outlives every transfer and every connection of its loop.
    unowned let runner: LoopRunner

    private let start = ContinuousClock.now
    /// libcurl has met a name whose addresses it does not have.
    var wantsAddresses = false
    /// The lookup of its names, while it is under way.
    var lookup: Task<Void, Never>?
    /// Where its names lead; nil before a lookup.
    private(set) var addresses: ResolvedNames?
    /// What passed before libcurl got the addresses: libcurl counts from there.
    private(set) var head = Duration.zero
    private(set) var body: [UInt8] = []
    private(set) var isTruncated = false
    /// The answer's status is no success.
    private var isRefused = false
    private(set) var isHeadComplete = false
    /// Of a body that is at hand.
    private var sent: Int64 = 0
    var isReceivingPaused = false
    var isSendingPaused = false
    private(set) var objection: Objection?
    /// The addresses that were tried, in turn.
    private var attempts: [SocketAddress] = []
    /// Every connection that it opened or took over, and what that had carried before.
    private var connections: [(socket: LoopSocket, baseline: TCPCounters)] = []
    /// The one that was reached, while its handshake lasts.
    private(set) var reached: (address: SocketAddress, after: Duration)?
    /// The request could be sent.
    private(set) var hasConnection = false
    private(set) var tls: TLSFacts?
    /// Of the chain that the server has shown, also where it was not accepted.
    private(set) var certificateExpiry: Date?
    private(set) var roundTrip: Duration?
    private(set) var retransmissions: UInt64 = 0
    /// The last ICMP error that came back for an attempt to connect.
    private(set) var routerError: RouterError?
    /// When the answer's first line came.
    private(set) var answered: Duration?
    /// Of the answer, interim ones and trailers included.
    private var headSize = 0

    /// Less than the 300 KiB after which libcurl ends the transfer with the code of a connection that has broken
    /// (`MAX_HTTP_RESP_HEADER_SIZE` in lib/http.h).
    private static let headLimit = 262_144

    init(
        _ transfer: Transfer,
        easy: EasyHandle,
        runner: LoopRunner,
        continuation: CheckedContinuation<Transfer.Outcome, Never>
    ) {
        self.transfer = transfer
        self.easy = easy
        self.runner = runner
        self.continuation = continuation
    }

    var request: TransferRequest { transfer.checked.request }

    /// When the connection must be established.
    var connectDeadline: ContinuousClock.Instant {
        request.connectTimeout.map { min(start + $0, transfer.deadline) } ?? transfer.deadline
    }

    /// How long it has taken so far.
    var elapsed: Duration { start.duration(to: .now) }

    /// The mask of curl_easy_pause.
    var pauses: Int32 {
        (isReceivingPaused ? Int32(NHE_CURL_PAUSE_RECEIVE) : 0)
            | (isSendingPaused ? Int32(NHE_CURL_PAUSE_SEND) : 0)
    }

    // MARK: The body that comes

    /// Takes what arrived; returns what CURLOPT_WRITEFUNCTION does.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard request.meter?.receive(bytes.count) ?? true else {
            isTruncated = true
            return 0
        }
        switch request.sink {
        case .discard: break
        case .discardUnlessRefused(let limit):
            if isRefused { body.append(contentsOf: bytes.prefix(max(0, limit - body.count))) }
        case .collect(let limit):
            let room = max(0, limit - body.count)
            body.append(contentsOf: bytes.prefix(room))
            guard bytes.count <= room else {
                isTruncated = true
                return 0
            }
        case .stream:
            guard transfer.download?.offer(bytes) == true else {
                isReceivingPaused = true
                return NHE_CURL_WRITE_PAUSE
            }
        }
        return bytes.count
    }

    // MARK: The body that goes

    /// Fills `target`; returns what CURLOPT_READFUNCTION does.
    func send(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = fill(target)
        if count <= target.count { request.meter?.send(count) }
        return count
    }

    private func fill(_ target: UnsafeMutableRawBufferPointer) -> Int {
        switch request.body {
        case .none: return 0
        case .bytes(let bytes):
            let start = Int(sent)
            let count = min(target.count, bytes.count - start)
            target.copyBytes(from: bytes[start..<start + count])
            sent += Int64(count)
            return count
        case .repeating:
            var filled = 0
            while filled < target.count, let next = request.body.repeated(at: sent) {
                let piece = next.prefix(target.count - filled)
                UnsafeMutableRawBufferPointer(rebasing: target[filled...]).copyBytes(from: piece)
                filled += piece.count
                sent += Int64(piece.count)
            }
            return filled
        case .stream:
            switch transfer.upload?.take(into: target) ?? .end {
            case .bytes(let count): return count
            case .end: return 0
            case .pause:
                isSendingPaused = true
                return NHE_CURL_READ_PAUSE
            case .wrongLength:
                objection = Objection(.aborted, "the body is not as long as was said")
                return NHE_CURL_READ_ABORT
            }
        }
    }

    /// Takes a line of the answer's head; false once that is too long.
    func receiveHeader(_ count: Int) -> Bool {
        answered = answered ?? elapsed
        headSize += count
        guard headSize > Self.headLimit else { return true }
        objection = Objection(.protocolViolation, "the head of the answer has more than \(Self.headLimit) bytes")
        return false
    }

    /// An answer may have come before the whole body was sent: libcurl then sends no more if it is an error, but does
    /// not see the end of the transfer while sending is paused.
    func headIsComplete() {
        isHeadComplete = true
        let status = easy.number(CURLINFO_RESPONSE_CODE)
        isRefused = !(200..<300).contains(status)
        if isSendingPaused { runner.resumeSending(transfer) }
        if let meter = request.meter { meter.answered(status, easy.headers) }
    }

    /// Starts the body anew, for a kept connection that turned out closed.
    func rewind(to offset: Int64) -> Bool {
        switch request.body {
        case .bytes, .repeating:
            guard offset >= 0, offset <= request.body.length ?? 0 else { return false }
            request.meter?.rewind(by: sent - offset)
            sent = offset
            return true
        case .none, .stream: return false
        }
    }

    // MARK: The connection

    /// Prepares a lookup, after which the transfer begins anew; nothing of an answer has come.
    ///
    /// - Returns: false where a kept connection turned out closed, and the body cannot be sent again.
    func beginLookup() -> Bool {
        wantsAddresses = false
        defer { hasConnection = false }
        guard hasConnection, request.hasBody else { return true }
        return rewind(to: 0)
    }

    /// Hands the addresses to libcurl; the transfer can begin.
    func take(_ found: ResolvedNames) throws(OptionError) {
        addresses = found
        try easy.set(addresses: found)
        try easy.setTimes(self)
        head = elapsed
    }

    /// Opens a socket for an address, if that is allowed; negative if not.
    func open(_ pointer: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        do throws(Objection) {
            guard var address = SocketAddress(pointer) else { throw Objection(.unreachable, "an unknown family") }
            if let scope = addresses?.scope(of: address) {
                pointer.set(scope: scope)
                address.scope = scope
            }
            guard request.mayConnect?(address) ?? true else {
                throw Objection(.forbidden, "\(address.ip) port \(address.port) is not allowed")
            }
            // Where IPv6 is switched off: libcurl would report this errno instead of that of the host's other addresses.
            guard address.ip.family == .ipv4 || address.hasSource else { return -1 }
            if let device = request.interface {
                // libcurl binds, and matches kept connections by it; but where it may not, it takes the device's address
                // instead, without an error. A second socket finds out, since one can be bound only once.
                _ = try TransferSockets().open(for: pointer.pointee, boundTo: device)
            }
            let socket = try runner.defaults.sockets.open(for: pointer.pointee).release()
            // Until the connection stands; before Linux 5.9 TCP does without.
            SocketOptions.setRouterErrors(socket, true, address.ip.family)
            if let bytes = request.maximumSegment { SocketOptions.setMaximumSegment(socket, bytes) }
            attempts.append(address)
            // That of an earlier address which this machine's limit kept from being tried still counts.
            if objection?.reason != .local { objection = nil }
            connections.append((runner.opened(socket, by: self), TCPCounters()))
            return socket
        } catch {
            objection = error
            return -1
        }
    }

    var hasOpenedSocket: Bool { !attempts.isEmpty }

    /// Reads a line of libcurl's log: `Connected to localhost (127.0.0.1) port 443 (#0)`, and after the handshake with the
    /// server, before its certificate is verified, `SSL connection using TLS1.3 / ECDHE_RSA_AES_256_GCM_SHA384`.
    ///
    /// CURLOPT_CERTINFO has the same dates, but libcurl 7.88 fails with it, as if memory had run out, where a certificate has
    /// a key of Ed25519.
    func read(_ line: String) {
        if reached == nil, line.hasPrefix("Connected to "),
            let address = attempts.last(where: { line.contains("(\($0.ip))") })
        {
            reached = (address, elapsed)
            forgetRouterErrors()
        } else if line.hasPrefix("SSL connection using ") {
            certificateExpiry = nhe_curl_tls_session(easy.pointer).flatMap(ShownCertificates.init)?.earliestExpiry
        }
    }

    /// Called with the connection that the request is about to be sent on; false refuses it.
    func connected(to address: String, port: UInt16, from localPort: UInt16) -> Bool {
        if !hasConnection, reached == nil { forgetRouterErrors() }
        hasConnection = true
        objection = nil
        // The rest of the log is not needed, and costs time.
        if transfer.checked.destination.isTLS { try? easy.set(CURLOPT_VERBOSE, false) }
        let peer = IPAddress(address).map { SocketAddress($0, port: port) }
        let kept = hasOpenedSocket && request.meter == nil ? nil : runner.sockets.socket(from: localPort, to: peer)
        request.meter?.attach(kept)
        if let kept { runner.used(kept, by: self) }
        if !hasOpenedSocket, connections.isEmpty, let kept { connections.append((kept, kept.counters)) }
        tls = nhe_curl_tls_session(easy.pointer).map { TLSFacts($0, isVerified: !request.tls.skipsVerification) }
        // A kept connection was allowed by another request's rule.
        guard !hasOpenedSocket, let rule = request.mayConnect, let peer, !rule(peer)
        else { return !request.onlyConnects }
        objection = Objection(.forbidden, "\(address) port \(port) is not allowed")
        return false
    }

    /// What its connections have carried for it.
    var carried: TCPCounters {
        connections.reduce(TCPCounters()) { $0 + $1.socket.counters.since($1.baseline) }
    }

    /// An error of a router must not end a connection that stands.
    private func forgetRouterErrors() {
        for socket in connections.compactMap(\.socket.number) where TCPStatistics(of: socket)?.isEstablished == true {
            SocketOptions.setRouterErrors(socket, false, SocketOptions.isIPv6(socket) ? .ipv6 : .ipv4)
        }
    }

    func readStatistics(of socket: Int32) {
        if !hasConnection { routerError = RouterError.take(from: socket) ?? routerError }
        guard let statistics = TCPStatistics(of: socket) else { return }
        roundTrip = statistics.smoothedRoundTrip ?? roundTrip
        retransmissions = statistics.retransmissions
    }
}
