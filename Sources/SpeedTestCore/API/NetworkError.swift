/// Why a speed test, or a request of it, failed.
public enum NetworkError: Error, Sendable, Equatable, CaseIterable, CustomStringConvertible {
    /// No address, no route, no open port, no TLS, or a URL that is none.
    case serverUnreachable
    /// Nothing came in time.
    case timeout
    /// The connection ended midway.
    case connectionLost
    /// The server refused, or what it said is not of the protocol.
    case invalidResponse
    /// Too little moved to tell a rate, or bodies were shorter than said.
    case notEnoughData
    /// Credentials or a consent are missing.
    case accessDenied
    /// Somebody stopped it.
    case cancelled

    /// What to tell people.
    public var description: String {
        switch self {
        case .serverUnreachable: "The speed-test server cannot be reached"
        case .timeout: "The speed-test server did not answer in time"
        case .connectionLost: "The connection to the speed-test server was lost"
        case .invalidResponse: "The speed-test server refused the test or does not speak its protocol"
        case .notEnoughData: "Too little data moved to measure a speed"
        case .accessDenied: "The speed-test server wants credentials or a consent"
        case .cancelled: "The speed test was cancelled"
        }
    }

    var reason: SpeedTestFailure.Reason {
        switch self {
        case .serverUnreachable: .unreachable
        case .timeout: .timeout
        case .connectionLost: .reset
        case .invalidResponse: .status
        case .notEnoughData: .short
        case .accessDenied: .auth
        case .cancelled: .cancelled
        }
    }

    init(_ failure: SpeedTestFailure) {
        self = Self.allCases.first { $0.reason == failure.reason } ?? .invalidResponse
    }
}
