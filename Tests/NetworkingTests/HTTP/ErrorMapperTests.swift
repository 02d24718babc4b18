import Networking
import Testing

@Suite struct ErrorMapperTests {
    @Test func `maps the errors of HTTP`() {
        let mapper = HTTPErrorMapper()
        #expect(mapper.map(.invalidURL) == .invalidRequest)
        #expect(mapper.map(.invalidResponse) == .invalidResponse)
        #expect(mapper.map(.statusCode(404, Data())) == .notFound)
        #expect(mapper.map(.statusCode(500, Data("body".utf8))) == .serverError(statusCode: 500))
        #expect(mapper.map(.statusCode(400, Data())) == .serverError(statusCode: 400))
    }

    @Test func `maps the errors of GraphQL`() {
        let mapper = GraphQLErrorMapper()
        #expect(mapper.map(.statusCode(404, Data())) == .notFound)
        #expect(mapper.map(.statusCode(503, Data())) == .serverError(statusCode: 503))
        #expect(mapper.map(.response([GraphQLResponseError(message: "no")])) == .invalidResponse)
        #expect(mapper.map(.decodingFailed(description: "why")) == .decodingFailed(description: "why"))
        #expect(mapper.map(.invalidResponse) == .invalidResponse)
    }

    @Test func `maps whatever a client throws`() {
        for map in [HTTPErrorMapper().map, GraphQLErrorMapper().map] as [(any Error) -> APIError] {
            #expect(map(HTTPError.statusCode(404, Data())) == .notFound)
            #expect(map(APIError.invalidRequest) == .invalidRequest)
            #expect(map(URLError(.timedOut)) == .invalidResponse)
        }
        #expect(GraphQLErrorMapper().map(GraphQLError.statusCode(404, Data()) as any Error) == .notFound)
    }

    @Test func `describes in one line where a body differs from the expectation`() {
        struct Page: Decodable { var items: [Item] }
        struct Item: Decodable { var name: String }
        let body = Data(#"{"items": [{"name": "a"}, {"name": null}]}"#.utf8)
        #expect {
            try JSONDecoder().decode(Page.self, from: body)
        } throws: { error in
            guard case .decodingFailed(let description) = HTTPErrorMapper().map(error) else { return false }
            return description.hasPrefix("items.1.name: ") && !description.contains("\n")
        }
    }
}
