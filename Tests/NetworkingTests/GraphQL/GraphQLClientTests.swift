import Coordination
import Foundation
import Lab
import MicroHTTP
import Networking
import Testing

@Suite(.timeLimit(.minutes(3))) struct GraphQLClientTests {
    private static let operation = GraphQLOperation(query: "{ thing { name count } }")

    /// Executes one operation against a server with this answer.
    private func execute(_ answer: String, status: Int = 200) async throws -> Thing {
        let handler = Route.Handler.immediate { _ in .json(Array(answer.utf8), status: status) }
        return try await serving(.post, "/api/graphql", handler: handler) { client in
            try await GraphQLClient(httpClient: client).execute(Self.operation)
        }
    }

    @Test func `posts the operation as JSON with variables of every type`() async throws {
        let requests = Locked<[Request]>([])
        let handler = Route.Handler.immediate { request in
            requests.withLock { $0.append(request) }
            return .json(Array(#"{"data": {"name": "a", "count": 1}}"#.utf8))
        }
        let operation = GraphQLOperation(
            query: "query Find($a: String) { thing(a: $a) { name count } }",
            variables: ["a": "x", "b": 1, "c": 1.5, "d": false, "e": nil, "f": [1, "y"], "g": ["k": "v"]],
            operationName: "Find"
        )
        let thing = try await serving(.post, "/api/graphql", handler: handler) { client in
            try await GraphQLClient(httpClient: client).execute(operation) as Thing
        }
        #expect(thing == Thing(name: "a", count: 1))
        let request = try #require(requests.withLock { $0.first })
        #expect(request.headers["content-type"] == "application/json")
        let sent = try JSONSerialization.jsonObject(with: Data(request.body)) as? NSDictionary
        #expect(
            sent == [
                "query": operation.query,
                "operationName": "Find",
                "variables": [
                    "a": "x", "b": 1, "c": 1.5, "d": false, "e": NSNull(), "f": [1, "y"] as NSArray, "g": ["k": "v"],
                ] as NSDictionary,
            ] as NSDictionary
        )
    }

    @Test func `a server gets each variable as it is`() async throws {
        struct Variables: Codable, Sendable, Equatable {
            struct Object: Codable, Sendable, Equatable {
                var list: [[Int?]]
                var empty: [String: String]
            }

            var text: String
            var smallest: Int
            var largest: Int
            var double: Double
            var bool: Bool
            var null: String?
            var object: Object
        }
        // It answers with the variables.
        let handler = Route.Handler.immediate { request in
            struct Body: Decodable { var variables: Variables }
            guard let body = try? JSONDecoder().decode(Body.self, from: Data(request.body)),
                let data = try? JSONEncoder().encode(["data": body.variables])
            else { return .text("", status: 400) }
            return .json(Array(data))
        }
        let text = "grüße \"x\" \\ \n\u{1} 日本 🛰"
        let operation = GraphQLOperation(
            query: "{ echo }",
            variables: [
                "text": .string(text), "smallest": .int(.min), "largest": .int(.max), "double": .double(-1.5e-7),
                "bool": .bool(true), "null": .null,
                "object": .object(["list": .list([.list([.int(1), .null]), .list([])]), "empty": .object([:])]),
            ]
        )
        let variables = try await serving(.post, "/api/graphql", handler: handler) { client in
            try await GraphQLClient(httpClient: client).execute(operation) as Variables
        }
        #expect(
            variables
                == Variables(
                    text: text,
                    smallest: .min,
                    largest: .max,
                    double: -1.5e-7,
                    bool: true,
                    null: nil,
                    object: Variables.Object(list: [[1, nil], []], empty: [:])
                )
        )
    }

    @Test func `partial data is there for a caller that asks for the whole answer`() async throws {
        let answer = #"{"data": {"name": "a", "count": 1}, "errors": [{"message": "no", "path": ["thing", 0]}]}"#
        let handler = Route.Handler.immediate { _ in .json(Array(answer.utf8)) }
        let response = try await serving(.post, "/api/graphql", handler: handler) { client in
            try await client.request(
                Endpoint(
                    path: "graphql",
                    method: .post,
                    headers: ["Content-Type": "application/json"],
                    body: try JSONEncoder().encode(Self.operation)
                )
            ) as GraphQLResponse<Thing>
        }
        #expect(response.data == Thing(name: "a", count: 1))
        #expect(response.errors == [GraphQLResponseError(message: "no", path: ["thing", "0"])])
    }

    @Test func `the path of the endpoint can be chosen`() async throws {
        let handler = Route.Handler.immediate { _ in .json(Array(#"{"data": {"name": "a", "count": 1}}"#.utf8)) }
        let thing = try await serving(.post, "/api/query", handler: handler) { client in
            try await GraphQLClient(httpClient: client, path: "query").execute(Self.operation) as Thing
        }
        #expect(thing.count == 1)
    }

    @Test(arguments: [
        #"{"data": {"name": "a", "count": 1}, "errors": [{"message": "no"}]}"#,
        #"{"data": {"name": null}, "errors": [{"message": "no"}]}"#,
        #"{"data": null, "errors": [{"message": "no"}]}"#,
        #"{"errors": [{"message": "no"}]}"#,
    ])
    func `throws the errors of an answer, with or without data`(_ answer: String) async {
        await #expect(throws: GraphQLError.response([GraphQLResponseError(message: "no")])) {
            try await execute(answer)
        }
    }

    @Test(arguments: [#"{"data": null}"#, "{}", #"{"data": null, "errors": []}"#])
    func `an answer with neither data nor errors is invalid`(_ answer: String) async {
        await #expect(throws: GraphQLError.invalidResponse) { try await execute(answer) }
    }

    @Test(arguments: ["", "{", "<html>", #"{"data": {"name": 1}}"#])
    func `an answer of another form cannot be decoded`(_ answer: String) async {
        await #expect {
            try await execute(answer)
        } throws: {
            if case GraphQLError.decodingFailed = $0 { true } else { false }
        }
    }

    @Test func `throws a status with its body`() async {
        await #expect(throws: GraphQLError.statusCode(400, Data(#"{"errors":[]}"#.utf8))) {
            try await execute(#"{"errors":[]}"#, status: 400)
        }
    }

    @Test func `a request that cannot be made is no answer`() async throws {
        let client = GraphQLClient(httpClient: HTTPClient(baseURL: try url("/relative")))
        await #expect {
            try await client.execute(Self.operation) as Thing
        } throws: {
            GraphQLErrorMapper().map($0) == .invalidRequest
        }
    }

    @Test func `an error of the transfer stays what it is`() async throws {
        let client = HTTPClient(baseURL: try url("http://127.0.0.1:\(try Loopback.closedPort())"))
        await #expect(throws: URLError.self) {
            try await GraphQLClient(httpClient: client).execute(Self.operation) as Thing
        }
    }
}
