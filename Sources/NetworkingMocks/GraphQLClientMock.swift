import Coordination
public import Foundation
public import Networking

/// A ``GraphQLClientContract`` without a network: it records its operations, and answers each with ``result``.
public final class GraphQLClientMock: GraphQLClientContract {
    private struct State {
        var result: Result<Data, any Error> = .success(Data())
        var operations: [GraphQLOperation] = []
    }

    private let state = Locked(State())
    private let decoder: JSONDecoder

    /// A mock without an answer: set ``result``.
    ///
    /// - Parameter decoder: Decodes the answers, as that of the client does which it replaces.
    public init(decoder: JSONDecoder = JSONDecoder()) { self.decoder = decoder }

    /// The JSON of the answer's `data`, decoded as the caller asks, or what is thrown instead.
    public var result: Result<Data, any Error> {
        get { state.withLock { $0.result } }
        set { state.withLock { $0.result = newValue } }
    }

    /// What was executed so far, in order.
    public var executedOperations: [GraphQLOperation] { state.withLock { $0.operations } }

    /// Records the operation, and decodes the JSON of ``result``; another form throws `GraphQLError.decodingFailed`.
    @concurrent public func execute<T: Decodable>(_ operation: GraphQLOperation) async throws -> T {
        let result = state.withLock { state in
            state.operations.append(operation)
            return state.result
        }
        let data = try result.get()
        do { return try decoder.decode(T.self, from: data) } catch { throw GraphQLError(decoding: error) }
    }
}
