/// Runs every parser over bytes as if the kernel had sent them, for the fuzzer: they may throw and must not trap.
///
/// - Returns: whether any of them accepted a message.
package func fuzzNetlink(_ bytes: RawSpan) -> Bool {
    var reader = MessageReader()
    var isAccepted = false
    while let message = try? reader.next(in: bytes) {
        let payload = bytes.extracting(message.payload)
        _ = try? KernelAnswer(message, payload: payload)
        // Whatever the header says, so that a changed type hides nothing.
        let hasFacts = [
            (try? RouteEvent(message, payload: payload)) != nil, (try? Link(parsing: payload)) != nil,
            (try? Address(parsing: payload)) != nil, (try? Route(parsing: payload)) != nil,
            (try? TCPFlow(parsing: payload)) != nil, (try? NeighbourOption(parsing: payload)) != nil,
        ]
        isAccepted = isAccepted || hasFacts.contains(true)
    }
    return isAccepted
}
