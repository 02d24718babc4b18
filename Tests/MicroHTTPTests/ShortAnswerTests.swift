import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(1)))
struct ShortAnswerTests {
    /// Twelve answers, more than are kept: each differs from its neighbours in status, a field or the body.
    private static let routes = (0..<12).map { number in
        Route(
            .get,
            "/\(number)",
            name: "short",
            handler: .immediate { _ in
                var response = Response.text("body \(number / 3)", status: number % 3 == 1 ? 503 : 200)
                if number % 3 == 2 { response.headers["X-Number"] = "\(number)" }
                return response
            }
        )
    }

    @Test func `sends each answer as its handler made it, whatever was sent before`() async throws {
        try await serving(Self.routes) { port in
            try await blocking {
                let client = try Client(port)
                let numbers = (0..<10).flatMap { _ in (0..<12).flatMap { [$0, $0] } + [3, 0, 1, 2, 5, 4] }
                for number in numbers {
                    let answer = try client.ask("GET", "/\(number)")
                    #expect(answer.text == "body \(number / 3)")
                    #expect(answer.status == (number % 3 == 1 ? 503 : 200))
                    #expect(answer.headers["x-number"] == (number % 3 == 2 ? "\(number)" : nil))
                    #expect(try client.ask("HEAD", "/\(number)").headers["content-length"] == "6")
                }
            }
        }
    }

    @Test func `an answer that ends its connection does not end those of others`() async throws {
        let route = Route(
            .get,
            "/",
            name: "close",
            handler: .immediate { request in
                var response = Response.text("same")
                if request.queryValue("close") != nil { response.headers["Connection"] = "close" }
                return response
            }
        )
        try await serving([route]) { port in
            try await blocking {
                for _ in 0..<3 {
                    let client = try Client(port)
                    for _ in 0..<3 { #expect(try client.ask("GET", "/").headers["connection"] == nil) }
                    #expect(try client.ask("GET", "/?close").text == "same")
                    #expect(client.isClosed())
                }
            }
        }
    }
}
