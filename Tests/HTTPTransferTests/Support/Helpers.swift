import HTTPTransfer
import Posix
import Testing

/// Makes a loop, and stops it after `body`.
func withLoop<Result>(
    caFile: String? = nil,
    sockets: TransferSockets = TransferSockets(),
    resolver: any NameResolving = SystemResolver.shared,
    _ body: (TransferLoop) async throws -> Result
) async throws -> Result {
    let loop = try TransferLoop(
        name: "test",
        caFile: caFile,
        userAgent: "tests/1",
        sockets: sockets,
        resolver: resolver
    )
    defer { loop.stop() }
    return try await body(loop)
}

/// What a transfer failed with; a success is an issue.
func failure(
    of request: TransferRequest,
    on loop: TransferLoop,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> TransferError {
    try await #require(throws: TransferError.self, sourceLocation: sourceLocation) {
        let response = try await loop.perform(request)
        Issue.record("status \(response.status)", sourceLocation: sourceLocation)
    }
}

extension TransferRequest {
    /// Changes a copy.
    func with(_ change: (inout TransferRequest) -> Void) -> TransferRequest {
        var copy = self
        change(&copy)
        return copy
    }

    static func collecting(_ url: String, limit: Int = 65_536) -> TransferRequest {
        TransferRequest(url: url).with { $0.sink = .collect(limit: limit) }
    }
}

extension TransferPhases {
    var sum: Duration {
        [resolve, connect, tls, processing, transfer].compactMap(\.self).reduce(.zero, +)
    }
}
