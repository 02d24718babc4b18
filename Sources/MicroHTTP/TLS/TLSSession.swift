import CGnuTLS

/// The TLS of one connection, from before its handshake on.
// Sendable by proof: the pointer is used by one thread at a time, while libmicrohttpd keeps the connection: the event
// thread, and that of an upgrade while the connection is suspended.
struct TLSSession: @unchecked Sendable {
    private let session: gnutls_session_t
    /// Kept here, as the session has it unretained.
    private let context: TLSContext

    /// Prepares the session of a new connection; nil: it has none, or there is no context for it.
    init?(_ pointer: UnsafeMutableRawPointer?, _ context: TLSContext?) {
        guard let pointer, let context else { return nil }
        session = OpaquePointer(pointer)
        self.context = context
        context.apply(to: session)
    }

    /// Sends the alert that the handshake fails for a reason of the server.
    static func refuse(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { return }
        _ = gnutls_alert_send(OpaquePointer(pointer), GNUTLS_AL_FATAL, GNUTLS_A_INTERNAL_ERROR)
    }

    /// Sends the last bytes of the connection, which libmicrohttpd does not know of, as far as the socket takes them.
    func sendLast(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                gnutls_record_send(session, $0.baseAddress.map { $0 + sent }, $0.count - sent)
            }
            guard count > 0 else { break }
            sent += count
        }
        _ = gnutls_bye(session, GNUTLS_SHUT_WR)
    }

    /// What became of a call.
    enum Outcome {
        case moved(Int)
        /// The socket is not ready.
        case blocked
        case ended
    }

    /// On the thread that owns the session, as those that follow.
    func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        Self.outcome(gnutls_record_send(session, bytes.baseAddress, bytes.count))
    }

    func receive(_ room: UnsafeMutableRawBufferPointer) -> Outcome {
        Self.outcome(gnutls_record_recv(session, room.baseAddress, room.count))
    }

    /// Sends the alert that no more bytes follow.
    func end() { _ = gnutls_bye(session, GNUTLS_SHUT_WR) }

    private static func outcome(_ count: Int) -> Outcome {
        if count > 0 { return .moved(count) }
        // An alert that is only a warning counts as a turn without bytes.
        if count == Int(GNUTLS_E_WARNING_ALERT_RECEIVED) { return .moved(0) }
        return [Int(GNUTLS_E_AGAIN), Int(GNUTLS_E_INTERRUPTED)].contains(count) ? .blocked : .ended
    }
}
