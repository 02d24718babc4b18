import NetworkingMocks
import Testing

struct MocksAloneTests {
    @Test func `a test needs no second import for the types of Networking`() async throws {
        let mock = HTTPClientMock()
        mock.result = .failure(HTTPError.statusCode(503, Data()))
        let client: any HTTPClientContract = mock
        await #expect(throws: HTTPError.statusCode(503, Data())) {
            try await client.request(Endpoint(path: "/users/1")) as Data
        }
        #expect(mock.requestedEndpoints == [Endpoint(path: "/users/1")])
    }
}
