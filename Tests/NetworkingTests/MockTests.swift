import Networking
import NetworkingMocks
import Testing

/// With the imports of a user: neither Foundation nor anything internal.
@Suite struct MockTests {
    @Test func `the HTTP client records its requests and answers as set`() async throws {
        let mock = HTTPClientMock()
        #expect(try await mock.request(Endpoint(path: "/a")) as Data == Data())
        mock.result = .success(Data(#"{"name":"a","count":1}"#.utf8))
        let thing: Thing = try await mock.request(Endpoint(path: "/b", method: .post))
        #expect(thing == Thing(name: "a", count: 1))
        mock.result = .failure(HTTPError.invalidResponse)
        await #expect(throws: HTTPError.invalidResponse) { try await mock.request(Endpoint(path: "/c")) as Thing }
        #expect(mock.requestedEndpoints.map(\.path) == ["/a", "/b", "/c"])
        #expect(mock.requestedEndpoints[1].method == .post)
    }

    @Test func `the GraphQL client records its operations and decodes the data`() async throws {
        let mock = GraphQLClientMock()
        mock.result = .success(Data(#"{"name":"a","count":1}"#.utf8))
        let operation = GraphQLOperation(query: "{ a }", variables: ["id": .string("1")], operationName: "A")
        let thing: Thing = try await mock.execute(operation)
        #expect(thing.name == "a")
        mock.result = .failure(GraphQLError.invalidResponse)
        await #expect(throws: GraphQLError.invalidResponse) { try await mock.execute(operation) as Thing }
        #expect(mock.executedOperations == [operation, operation])
    }

    @Test func `a GraphQL client works on a mocked HTTP client`() async throws {
        let mock = HTTPClientMock()
        mock.result = .success(Data(#"{"data":{"name":"a","count":1}}"#.utf8))
        let thing: Thing = try await GraphQLClient(httpClient: mock).execute(GraphQLOperation(query: "{ a }"))
        #expect(thing.count == 1)
        #expect(mock.requestedEndpoints.map(\.path) == ["/graphql"])
    }

    @Test func `mocks can be used by many tasks at once`() async throws {
        let mock = HTTPClientMock()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    mock.result = .success(Data("\(number)".utf8))
                    _ = try? await mock.request(Endpoint(path: "/\(number)")) as Data
                }
            }
        }
        #expect(Set(mock.requestedEndpoints.map(\.path)).count == 200)
    }
}
