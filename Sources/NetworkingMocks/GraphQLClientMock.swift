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

    /// A mock without an answer: set ``result``.
    public init() {}

    /// The JSON of the answer's `data`, decoded as the caller asks, or what is thrown instead.
    public var result: Result<Data, any Error> {
        get { state.withLock { $0.result } }
        set { state.withLock { $0.result = newValue } }
    }

    /// What was executed so far, in order.
    public var executedOperations: [GraphQLOperation] { state.withLock { $0.operations } }

    /// Records the operation, and decodes the JSON of ``result``.
    @concurrent public func execute<T: Decodable>(_ operation: GraphQLOperation) async throws -> T {
        let result = state.withLock { state in
            state.operations.append(operation)
            return state.result
        }
        return try JSONDecoder().decode(T.self, from: try result.get())
    }
}
