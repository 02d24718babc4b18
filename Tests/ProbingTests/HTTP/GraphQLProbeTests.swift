import FoundationEssentials
import HTTPTransfer
import Probing
import Testing

struct GraphQLProbeTests {
    private static func target(_ query: String = "{ __typename }", headers: [String: String] = [:]) -> Target {
        var probe = GraphQLProbe(query: query)
        probe.headers = headers
        return .make("graph", probe, address: "https://api.test/graphql")
    }

    private static func result(_ body: String) async throws -> ProbeResult {
        try await target().probed(with: FakeTransfers(body: body))
    }

    @Test func `posts the query as JSON`() async throws {
        let transfers = FakeTransfers(body: "{}")
        let query = "{ user(name: \"a\\b\n\u{1}ü\") { id } }"
        _ = try await Self.target(query).probed(with: transfers)
        let request = transfers.requests[0]
        #expect(request.method == .post)
        #expect(request.usesFreshConnection)
        #expect(request.headers.first { $0.name == "Content-Type" }?.value == "application/json")
        guard case .bytes(let body) = request.body, case .collect(limit: 1_048_576) = request.sink else {
            Issue.record("no body")
            return
        }
        #expect(try JSONDecoder().decode([String: String].self, from: Data(body)) == ["query": query])
    }

    @Test func `The headers of a target replace the defaults`() async throws {
        let transfers = FakeTransfers(body: "{}")
        let target = Self.target(headers: ["content-type": "application/graphql", "ACCEPT": "x"])
        _ = try await target.probed(with: transfers)
        #expect(transfers.requests[0].headers.map(\.value) == ["x", "application/graphql"])
    }

    @Test(arguments: [
        #"{"data":{"__typename":"Query"}}"#, #"{"data":{},"errors":[]}"#, #"{"data":1,"errors":null,"extensions":[]}"#,
        #" { "errors" : [] , "data" : { "a" : [ { } ] } } "#,
    ])
    func `data without errors is a success`(body: String) async throws {
        #expect(try await Self.result(body).failure == nil)
    }

    @Test(arguments: [
        (#"{"data":null}"#, "no data"), ("{}", "no data"), (#"{"errors":[]}"#, "no data"),
        (#"{"data":{},"errors":[{"message":"not here"}]}"#, "not here"),
        (#"{"data":{},"errors":[{"code":1}]}"#, "without a message"),
        (#"{"data":null,"errors":[{"message":"not here"}]}"#, "not here"),
        (#"{"data":{},"errors":{}}"#, "not a GraphQL"), (#"{"data":{},"errors":["x"]}"#, "not a GraphQL"),
        (#"{"data":{}"#, "not a GraphQL"), (#"{"data":{}} x"#, "not a GraphQL"), (#"[{"data":{}}]"#, "not a GraphQL"),
        ("null", "not a GraphQL"), ("", "not a GraphQL"), ("<html>", "not a GraphQL"),
    ])
    func `anything else is a wrong body`(body: String, message: String) async throws {
        let result = try await Self.result(body)
        #expect(result.failure == .body)
        #expect(result.detail.contains(message))
    }

    @Test func `a long message is cut`() async throws {
        let message = String(repeating: "x", count: 10_000)
        let result = try await Self.result(#"{"errors":[{"message":"\#(message)"}]}"#)
        #expect(result.failure == .body)
        #expect(result.detail.count < 300)
    }

    @Test(arguments: [400, 301, 500])
    func `Another status is a failure, whatever the body is`(status: Int) async throws {
        var response = TransferResponse(status: status)
        response.body = Array(#"{"data":{}}"#.utf8)
        let result = try await Self.target().probed(with: FakeTransfers(response))
        #expect(result.failure == .status)
    }

    @Test func `An answer that is too long is a failure`() async throws {
        var response = TransferResponse(status: 200)
        response.body = Array(#"{"data":{}}"#.utf8)
        response.isTruncated = true
        let result = try await Self.target().probed(with: FakeTransfers(response))
        #expect(result.failure == .body)
    }

    @Test(arguments: ["[", #"{"data":"#, #"{"errors":[{"message":"#, #"{"data":["#])
    func `a hundred thousand nested brackets are refused, not followed`(bracket: String) async throws {
        for closing in ["", "]"] {
            let nested = String(repeating: bracket, count: 100_000) + String(repeating: closing, count: 100_000)
            #expect(try await Self.result(nested).failure == .body)
            #expect(try await Self.result(#"{"data":\#(nested)}"#).failure == .body)
        }
    }

    @Test func `A failed transfer has its own failure`() async throws {
        let error = TransferError(.refused, phase: .connect, message: "closed")
        let result = try await Self.target().probed(with: FakeTransfers(error))
        #expect(result.failure == .refused)
        #expect(result.detail.contains("closed"))
    }
}
