import Testing

@testable import SpeedTestCore

struct MultipartHeadTests {
    private static let type = "multipart/form-data; boundary=\"xyz\""

    private static func body(_ disposition: String, file: String) -> [UInt8] {
        Array(
            "--xyz\r\nContent-Disposition: form-data; \(disposition)\r\nContent-Type: a/b\r\n\r\n\(file)\r\n--xyz--\r\n"
                .utf8
        )
    }

    private static func read(_ body: [UInt8], piece: Int, type: String = type) throws -> MultipartHead {
        var head = try #require(MultipartHead(contentType: type))
        var rest = body[...]
        while !rest.isEmpty {
            let next = Array(rest.prefix(piece))
            head.take(next.span.bytes)
            rest = rest.dropFirst(piece)
        }
        return head
    }

    @Test(arguments: [1, 7, 100_000]) func `finds the name and the size of the file, whatever the pieces`(piece: Int)
        throws
    {
        let file = String(repeating: "x", count: 10_000)
        let body = Self.body("name=\"file\"; filename=\"a.bin\"", file: file)
        let head = try Self.read(body, piece: piece)
        #expect(head.filename == "a.bin")
        #expect(head.fileSize(ofBody: UInt64(body.count)) == 10_000)
    }

    @Test(
        arguments: [
            ("name=\"file\"; filename=\"a\\\"b\"", "a\"b"), ("filename=\"ü\"", "ü"), ("filename=\"\"", ""),
            ("name=\"text\"", nil), ("filename=\"never ended", nil),
        ] as [(String, String?)]
    )
    func `reads what a client writes`(disposition: String, name: String?) throws {
        #expect(try Self.read(Self.body(disposition, file: ""), piece: 50).filename == name)
    }

    @Test func `reads the beginning only`() throws {
        let head = try Self.read([UInt8](repeating: 0x61, count: 1_000_000), piece: 30_000)
        #expect(head.filename == nil)
        #expect(head.fileSize(ofBody: 1_000_000) == 1_000_000)
        #expect(try Self.read(Self.body("filename=\"a\"", file: ""), piece: 9).fileSize(ofBody: 3) == 0)
    }

    @Test(arguments: ["", "text/plain", "multipart/form-data", "multipart/mixed; boundary=x"])
    func `knows other types`(type: String) {
        #expect(MultipartHead(contentType: type) == nil)
    }
}
