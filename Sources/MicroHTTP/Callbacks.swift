import CMicroHTTPD
import Glibc
import Posix

// libmicrohttpd's callbacks, all on its event thread but `logMessage`, which may come from the accept loop too.
// `context` is the ServerCore, which the Daemon keeps alive.

/// A connection begins or ends: its socket context is a retained Connection.
func notifyConnection(
    context: UnsafeMutableRawPointer?,
    connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_ConnectionNotificationCode
) {
    guard let core = core(context), let connection, let slot else { return }
    if code == .CONNECTION_NOTIFY_STARTED {
        let peer = SocketAddress(copying: nhe_mhd_peer(connection))?.host ?? ""
        let provider = core.configuration.tls
        let tls = provider.flatMap { TLSSession(nhe_mhd_tls_session(connection), $0()) }
        let new = Connection(descriptor: nhe_mhd_descriptor(connection), peer: peer, tls: tls, now: .now)
        // The accept loop sleeps without a limit while there is nothing to sweep.
        if core.connections.add(new) { core.mailbox.wake() }
        slot.pointee = Unmanaged.passRetained(new).toOpaque()
        core.configuration.onConnection(.opened)
        if provider != nil, tls == nil {
            TLSSession.refuse(nhe_mhd_tls_session(connection))
            new.shutDown()
        }
    } else if let pointer = slot.pointee {
        slot.pointee = nil
        let old = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
        old.close()
        // Reported before its place is free: a count of open connections has no closed one beside its successor.
        core.configuration.onConnection(.closed)
        core.connections.remove(old)
    }
}

/// A request line has come: the pointer returned is a retained Exchange, given to the callbacks that follow.
func beginRequest(
    context: UnsafeMutableRawPointer?,
    target: UnsafePointer<CChar>?,
    connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let core = core(context), let target, let connection, let slot = nhe_mhd_socket_context(connection) else {
        return nil
    }
    let exchange = Exchange(
        core: core,
        connection: Unmanaged<Connection>.fromOpaque(slot).takeUnretainedValue(),
        handle: ConnectionHandle(pointer: connection),
        target: RawTarget(taking: target)
    )
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// Called once for the headers, for each piece of the body, and when the request is complete or was resumed.
func handleRequest(
    context: UnsafeMutableRawPointer?,
    connection: OpaquePointer?,
    path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?,
    version: UnsafePointer<CChar>?,
    upload: UnsafePointer<CChar>?,
    uploadSize: UnsafeMutablePointer<Int>?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let pointer = slot?.pointee, let method, let version, let uploadSize else { return .NO }
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    let piece = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize.pointee)
    // All bytes are consumed.
    uploadSize.pointee = 0
    return exchange.advance(method: method, version: version, upload: piece) ? .YES : .NO
}

/// A request is over, answered or not.
func completeRequest(
    context: UnsafeMutableRawPointer?,
    connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_RequestTerminationCode
) {
    guard let slot, let pointer = slot.pointee else { return }
    slot.pointee = nil
    Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().end(
        isComplete: code == .REQUEST_TERMINATED_COMPLETED_OK
    )
}

/// One header of a request; `context` is the HeaderBlock to add to.
func addHeader(
    context: UnsafeMutableRawPointer?,
    kind: MHD_ValueKind,
    name: UnsafePointer<CChar>?,
    nameLength: Int,
    value: UnsafePointer<CChar>?,
    valueLength: Int
) -> MHD_Result {
    let name = UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameLength)
    let value = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength)
    context?.assumingMemoryBound(to: HeaderBlock.self).pointee.add(name: name, value: value)
    return .YES
}

/// The next bytes of a body; `context` is a retained BodyReference.
func readBody(
    context: UnsafeMutableRawPointer?,
    position: UInt64,
    target: UnsafeMutablePointer<CChar>?,
    size: Int
) -> Int {
    guard let context, let target else { return endWithError }
    return Unmanaged<BodyReference>.fromOpaque(context).takeUnretainedValue().body
        .read(at: position, into: UnsafeMutableRawBufferPointer(start: target, count: size))
}

/// The end of a body, whatever the reason.
func freeBody(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<BodyReference>.fromOpaque(context).takeRetainedValue().body.close()
}

/// The answer to an upgrade was sent; `request` is the Exchange.
func takeOver(
    context: UnsafeMutableRawPointer?,
    connection: OpaquePointer?,
    request: UnsafeMutableRawPointer?,
    received: UnsafePointer<CChar>?,
    receivedSize: Int,
    descriptor: Int32,
    handle: OpaquePointer?
) {
    guard let request, let handle else { return }
    let received = UnsafeRawBufferPointer(start: received, count: received == nil ? 0 : receivedSize)
    Unmanaged<Exchange>.fromOpaque(request).takeUnretainedValue()
        .takeOver(TakenSocket(descriptor, handle: handle), received: Array(received))
}

/// MHD_CONTENT_READER_END_OF_STREAM and …_WITH_ERROR are macros with casts.
let endOfStream = -1
let endWithError = -2

/// The log messages of libmicrohttpd, including the errors that it answers itself.
func logMessage(context: UnsafeMutableRawPointer?, format: UnsafePointer<CChar>?, arguments: CVaListPointer?) {
    guard let core = core(context), let format, let arguments else { return }
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        guard let base = buffer.baseAddress, vsnprintf(base, buffer.count, format, arguments) > 0 else { return "" }
        return String(cString: base)
    }
    core.note(text)
}

private func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}
