import Coordination
public import Foundation
public import Networking

/// An ``HTTPClientContract`` without a network: it records its requests, and answers each with ``result``.
public final class HTTPClientMock: HTTPClientContract {
    private struct State {
        var result: Result<Data, any Error> = .success(Data())
        var endpoints: [Endpoint] = []
    }

    private let state = Locked(State())
    private let decoder: JSONDecoder

    /// A mock that answers with an empty body.
    ///
    /// - Parameter decoder: Decodes the bodies, as that of the client does which it replaces.
    public init(decoder: JSONDecoder = JSONDecoder()) { self.decoder = decoder }

    /// The body of every answer, or what is thrown instead.
    public var result: Result<Data, any Error> {
        get { state.withLock { $0.result } }
        set { state.withLock { $0.result = newValue } }
    }

    /// What was requested so far, in order.
    public var requestedEndpoints: [Endpoint] { state.withLock { $0.endpoints } }

    /// Records the request, and decodes the body of ``result``.
    @concurrent public func request<T: Decodable>(_ endpoint: Endpoint) async throws -> T {
        try decoder.decode(T.self, from: try answer(endpoint))
    }

    /// Records the request, and returns the body of ``result``.
    @concurrent public func request(_ endpoint: Endpoint) async throws -> Data {
        try answer(endpoint)
    }

    private func answer(_ endpoint: Endpoint) throws -> Data {
        try state.withLock { state in
            state.endpoints.append(endpoint)
            return state.result
        }
        .get()
    }
}
