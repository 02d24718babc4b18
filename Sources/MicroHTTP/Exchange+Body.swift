// How an exchange receives a body.
extension Exchange {
    /// Bytes of a refused body that are still read, so that the client can read the answer.
    static let drainLimit = 1_048_576

    /// The maximum body of the route.
    var limit: Int { route?.bodyLimit ?? 0 }

    var tooLarge: RequestError { RequestError(status: 413, message: "the body is larger than \(limit) bytes") }

    /// Whether the rest of a refused request is not read.
    func isBetterCut(_ framing: RequestRules.Framing) -> Bool {
        if case .sink = route?.handler { return true }
        return framing.isLonger(than: Self.drainLimit)
    }

    /// Prepares for a body that is kept.
    func expectBody(_ framing: RequestRules.Framing) {
        let length = if case .length(let length) = framing { length } else { 0 }
        request.storage = RequestBody(core.bodyMemory, capacity: length)
    }

    /// Takes the next bytes; false closes the connection.
    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        if let sink {
            guard let response = sink.receive(piece.bytes) else { return true }
            discard = sink.discard
            cut(with: response)
            return stopReading()
        }
        if refusal == nil { keep(piece) }
        guard let refusal else { return true }
        drained += piece.count
        guard drained > Self.drainLimit else { return true }
        cut(with: refusal)
        return stopReading()
    }

    /// Adds bytes to the body, or refuses the request.
    private func keep(_ piece: UnsafeRawBufferPointer) {
        guard let body = request.storage, body.count + piece.count <= limit else {
            return refuse(answer(to: tooLarge))
        }
        if !body.append(piece) {
            refuse(answer(to: .overloaded("the bodies of other requests take all memory for bodies")))
        }
    }

    private func refuse(_ response: Response) {
        request.storage = nil
        refusal = response
    }
}
