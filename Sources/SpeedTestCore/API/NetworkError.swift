/// Why a speed test, or a request of it, failed.
public enum NetworkError: Error, Sendable, Equatable, CaseIterable, CustomStringConvertible {
    /// No address, no route, no open port, no TLS, or an invalid URL.
    case serverUnreachable
    /// No answer in time.
    case timeout
    /// The connection ended midway.
    case connectionLost
    /// The server refused, or its answer is not of the protocol.
    case invalidResponse
    /// Too few bytes moved for a rate, or bodies were shorter than announced.
    case notEnoughData
    /// Credentials or a consent are missing.
    case accessDenied
    /// The test was stopped.
    case cancelled

    /// The message for people.
    public var description: String {
        switch self {
        case .serverUnreachable: "The speed-test server cannot be reached"
        case .timeout: "The speed-test server did not answer in time"
        case .connectionLost: "The connection to the speed-test server was lost"
        case .invalidResponse: "The speed-test server refused the test or does not support its protocol"
        case .notEnoughData: "Too little data moved to measure a speed"
        case .accessDenied: "The speed-test server requires credentials or a consent"
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
