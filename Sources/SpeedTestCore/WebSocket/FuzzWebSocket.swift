/// Reads bytes as from either side, for the fuzzer: it may throw and must not trap.
///
/// The events must not depend on the pieces in which the bytes arrive, and a header must be written as it was read: a
/// difference traps.
///
/// - Returns: whether either side's reader took them without an error.
package func fuzzWebSocket(_ bytes: RawSpan) -> Bool {
    if let header = try? WebSocketFrameHeader(parsing: bytes) {
        let start = (0..<header.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        precondition(header.encoded == start)
    }
    var isAccepted = false
    for peer in [WebSocketReader.Peer.client, .server] {
        let whole = webSocketEvents(bytes, from: peer, piece: max(1, bytes.byteCount))
        let pieces = webSocketEvents(bytes, from: peer, piece: 3)
        precondition(whole.text == pieces.text && whole.error == pieces.error && whole.binary == pieces.binary)
        isAccepted = isAccepted || whole.error == nil
    }
    return isAccepted
}

private func webSocketEvents(
    _ bytes: RawSpan,
    from peer: WebSocketReader.Peer,
    piece: Int
) -> (text: [WebSocketEvent], binary: Int, error: WebSocketError?) {
    var reader = WebSocketReader(from: peer, textLimit: 4096)
    var events: [WebSocketEvent] = []
    var binary = 0
    var offset = 0
    while offset < bytes.byteCount {
        let end = min(offset + piece, bytes.byteCount)
        do throws(WebSocketError) {
            try reader.read(bytes.extracting(offset..<end)) { event in
                if case .binary(let count) = event { binary += count } else { events.append(event) }
            }
        } catch {
            return (events, binary, error)
        }
        offset = end
    }
    return (events, binary, nil)
}
