public import Foundation

/// Performs the requests of an API: what a program depends on, so that tests can replace ``HTTPClient``.
///
/// Its methods run on the concurrent executor, whatever the isolation of their caller.
public protocol HTTPClientContract: Sendable {
    /// Performs a request and decodes the body of its answer.
    @concurrent func request<T: Decodable>(_ endpoint: Endpoint) async throws -> T

    /// Performs a request and returns the body of its answer.
    @concurrent func request(_ endpoint: Endpoint) async throws -> Data
}
