import HTTPTransfer
import Probing

// What the public types are made of outside of tests: the two places where the library meets the network.

/// What our HTTP requests call themselves.
private let userAgent = "swift-network-health"

/// The internet monitor of a `NetworkMonitor`.
@Sendable func makeInternetMonitor(
    _ configuration: InternetConfiguration,
    onVerdict: @escaping @Sendable (InternetVerdict) -> Void
) throws -> any InternetWatching {
    try ProbingInternet(configuration, userAgent: userAgent, onVerdict: onVerdict)
}

/// The transfers of `ConnectivityService`: one loop for the whole process, made at its first use.
@Sendable func sharedTransfers() throws -> any HTTPTransferring { try SharedTransfers.loop.get() }

private enum SharedTransfers {
    static let loop = Result { try TransferLoop(name: "connectivity", userAgent: userAgent) }
}
