/// Runs every parser over bytes as if the kernel had sent them, for the fuzzers: they may throw and must not trap.
package func fuzzNetlink(_ bytes: RawSpan) {
    var reader = MessageReader()
    while let message = try? reader.next(in: bytes) {
        let payload = bytes.extracting(message.payload)
        _ = try? RouteEvent(message, payload: payload)
        _ = try? KernelAnswer(message, payload: payload)
        // Whatever the header says, so that a changed type hides nothing.
        _ = try? Link(parsing: payload)
        _ = try? Address(parsing: payload)
        _ = try? Route(parsing: payload)
        _ = try? TCPFlow(parsing: payload)
        _ = try? NeighbourOption(parsing: payload)
    }
}
