import Networking
import NetworkingMocks
import Testing

/// With the imports of a user, neither Foundation nor anything internal: each name of the documentation.
@Suite struct NetworkingAPITests {
    private struct Thing: Codable, Equatable {
        var name: String
        var count: Int
    }

    @Test func `a client can be made and its endpoint has every part`() throws {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        let client: any HTTPClientContract = HTTPClient(baseURL: url)
        _ = HTTPClient(baseURL: url, session: .shared, decoder: JSONDecoder())
        _ = GraphQLClient(httpClient: client, path: "/graphql", encoder: JSONEncoder(), decoder: JSONDecoder())
        let endpoint = Endpoint(
            path: "/users",
            method: .patch,
            headers: ["X-One": "1"],
            queryItems: [URLQueryItem(name: "q", value: "1+1")],
            body: Data("body".utf8)
        )
        #expect(try endpoint.url(below: url).absoluteString == "https://api.example.com/v1/users?q=1%2B1")
        #expect(HTTPMethod.allCases.map(\.rawValue) == ["GET", "POST", "PUT", "PATCH", "DELETE"])
        #expect(Endpoint(path: "/users").method == .get && Endpoint(path: "/users").body == nil)
    }

    @Test func `the errors of both clients become one kind`() {
        let errors: [APIError] = [
            HTTPErrorMapper().map(.invalidURL), HTTPErrorMapper().map(.invalidResponse),
            HTTPErrorMapper().map(.statusCode(404, Data())), GraphQLErrorMapper().map(.statusCode(500, Data())),
            GraphQLErrorMapper().map(.decodingFailed(description: "why")),
        ]
        #expect(
            errors == [
                .invalidRequest, .invalidResponse, .notFound, .serverError(statusCode: 500),
                .decodingFailed(description: "why"),
            ]
        )
    }

    @Test func `an answer of GraphQL can be read with its errors`() throws {
        let body = Data(#"{"data":{"name":"a","count":1},"errors":[{"message":"no","path":["x",0]}]}"#.utf8)
        let response = try JSONDecoder().decode(GraphQLResponse<Thing>.self, from: body)
        #expect(response.data?.count == 1)
        #expect(response.errors == [GraphQLResponseError(message: "no", locations: nil, path: ["x", "0"])])
        let place = GraphQLResponseError.Location(line: 1, column: 2)
        #expect(place.line == 1 && place.column == 2)
        let variables: [GraphQLVariable] = [
            .string("a"), .int(1), .double(1.5), .bool(true), .null, .list([]), .object([:]),
        ]
        #expect(GraphQLOperation(query: "q", variables: ["v": .list(variables)], operationName: nil).query == "q")
    }

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

    @Test func `mocks decode as the clients do that they replace`() async throws {
        struct Moment: Decodable { var at: Date }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let body = Data(#"{"at":"1970-01-01T00:01:00Z"}"#.utf8)
        let http = HTTPClientMock(decoder: decoder)
        let graphQL = GraphQLClientMock(decoder: decoder)
        (http.result, graphQL.result) = (.success(body), .success(body))
        let operation = GraphQLOperation(query: "{ a }")
        let moments: [Moment] = [try await http.request(Endpoint(path: "/a")), try await graphQL.execute(operation)]
        #expect(moments.map(\.at.timeIntervalSince1970) == [60, 60])
        (http.result, graphQL.result) = (.success(Data("{}".utf8)), .success(Data("{}".utf8)))
        await #expect(throws: DecodingError.self) { try await http.request(Endpoint(path: "/a")) as Moment }
        await #expect {
            try await graphQL.execute(operation) as Moment
        } throws: {
            if case GraphQLError.decodingFailed = $0 { true } else { false }
        }
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
