import Lab
import Testing

@testable import MicroHTTP

/// Bodies by chunks, as bytes: where one ends, a program in front must see the same (RFC 9112, 7.1).
@Suite(.timeLimit(.minutes(3)))
struct ChunkTests {
    private static func shape(
        _ name: String,
        strict: RequestShape.Outcome? = nil,
        _ body: String
    ) -> RequestShape {
        RequestShape(
            name: name,
            strict: strict,
            line: "POST /a HTTP/1.1\r\n",
            headers: "Host: x\r\nTransfer-Encoding: chunked\r\n",
            body: body
        )
    }

    /// nginx answers these, too; 1.0.1 counts the LF after an extension as the first byte of the chunk, and then finds no line end.
    static let answered = [
        shape("one chunk", "3\r\nabc\r\n0\r\n\r\n"), shape("no chunk", "0\r\n\r\n"),
        shape("zeros before a size", "0000000000000000000000003\r\nabc\r\n0\r\n\r\n"),
        shape("a trailer that begins with NUL", strict: .refused, "0\r\n\0T: x\r\n\r\n"),
        shape("an extension", strict: .refused, "3;x=y\r\nabc\r\n0\r\n\r\n"),
        shape("an extension of the last chunk", strict: .refused, "3\r\nabc\r\n0;x\r\n\r\n"),
        shape("an extension, and one byte less", "3;x\r\nab\r\n0\r\n\r\n"),
        shape("LF in an extension", strict: .refused, "3;x\nabc\r\n0\r\n\r\n"),
        shape("LF after a size", strict: .refused, "3\nabc\r\n0\r\n\r\n"),
        shape("LF after the bytes", strict: .refused, "3\r\nabc\n0\r\n\r\n"),
        shape("LF after the last chunk", strict: .refused, "3\r\nabc\r\n0\n\r\n"),
        shape("LF at the end", strict: .refused, "3\r\nabc\r\n0\r\n\n"),
    ]

    /// nginx keeps the connection: unlike 0.9.75 it never takes what is in a trailer for the next request.
    static let answeredLast = [
        shape("a trailer", strict: .answered, "3\r\nabc\r\n0\r\nT: x\r\n\r\n"),
        shape("a trailer with a length", strict: .answered, "0\r\nContent-Length: 30\r\n\r\n"),
        shape("a trailer with NUL", strict: .refused, "0\r\nT: x\0y\r\n\r\n"),
        shape("a trailer without a name", strict: .refused, "0\r\n: x\r\n\r\n"),
        shape("a trailer on two lines", strict: .refused, "0\r\nT: x\r\n y\r\n\r\n"),
        shape("an extension and a trailer", strict: .refused, "3\r\nabc\r\n0;x\r\nT: x\r\n\r\n"),
        shape("a request in a trailer", strict: .refused, "0\r\nT: x\r\n: y\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n"),
    ]

    /// nginx ignores a space there, and a trailer without a colon.
    static let refusedHereOnly = [
        shape("a space after a size", "3 \r\nabc\r\n0\r\n\r\n"),
        shape("a trailer without a colon", "0\r\nT\r\n\r\n"),
    ]

    static let refused = [
        shape("a space before a size", " 3\r\nabc\r\n0\r\n\r\n"), shape("a sign", "+3\r\nabc\r\n0\r\n\r\n"),
        shape("0x", "0x3\r\nabc\r\n0\r\n\r\n"), shape("no size", "\r\nabc\r\n0\r\n\r\n"),
        shape("a size of more than 64 bits", "10000000000000003\r\nabc\r\n0\r\n\r\n"),
        shape("NUL after a size", "3\0\r\nabc\r\n0\r\n\r\n"), shape("CR after a size", "3\rabc\r\n0\r\n\r\n"),
        shape("LF in a quoted extension", "3;x=\"\n\"\r\nabc\r\n0\r\n\r\n"),
        shape("more bytes than the size", "3\r\nabcd\r\n0\r\n\r\n"),
        shape("no line end after the bytes", "3\r\nabc0\r\n\r\n"),
        shape("CR after the bytes", "3\r\nabc\r0\r\n\r\n"),
    ]

    // nginx refuses it. 0.9.75 ends the line where a program would that looks for the LF.
    static let answeredHereOnly = [shape("CR in an extension", strict: .refused, "3;x\ry\r\nabc\r\n0\r\n\r\n")]

    private static func outcome(_ shape: RequestShape, at port: UInt16) throws -> RequestShape.Outcome {
        let client = try Client(port)
        try client.send(shape.bytes + RequestShape(name: "").bytes)
        return RequestShape.Outcome(of: client)
    }

    private static func check(_ shapes: [RequestShape], _ usual: RequestShape.Outcome) async throws {
        try await serving([echo(.post, "/a", bodyLimit: 10), echo(.get, "/a")]) { port in
            try await blocking {
                for shape in shapes {
                    let outcome = try Self.outcome(shape, at: port)
                    #expect(outcome == shape.outcome(usual), "\(shape.name)")
                }
            }
        }
    }

    @Test func `a body whose end is clear is taken, and the next request answered`() async throws {
        try await Self.check(Self.answered + Self.answeredHereOnly, .answered)
    }

    @Test func `a body with a trailer is taken, and nothing behind it`() async throws {
        try await Self.check(Self.answeredLast, .closed)
    }

    @Test func `any other body ends the connection`() async throws {
        try await Self.check(Self.refused + Self.refusedHereOnly, .refused)
    }

    @Test func `nginx judges the same`() async throws {
        let nginx = try await blocking { try ReferenceServer() }
        try await blocking {
            for shape in Self.answered + Self.answeredLast + Self.refusedHereOnly {
                let outcome = try Self.outcome(shape, at: nginx.port)
                #expect(outcome == .answered, "\(shape.name)")
            }
            for shape in Self.refused + Self.answeredHereOnly {
                let outcome = try Self.outcome(shape, at: nginx.port)
                #expect(outcome == .refused, "\(shape.name)")
            }
        }
        withExtendedLifetime(nginx) {}
    }
}
