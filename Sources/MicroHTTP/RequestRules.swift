/// Rules for requests, so that no proxy can parse them differently (RFC 9112 sections 3.2, 5.1 and 6).
enum RequestRules {
    /// How the body's end is known.
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked

        /// Whether the request says so.
        func isLonger(than limit: Int) -> Bool {
            if case .length(let length) = self { length > limit } else { false }
        }
    }

    /// Checks the headers of a request.
    static func framing(of headers: Headers, isHTTP10: Bool) throws(RequestError) -> Framing {
        var hosts = 0
        var lengths: [String] = []
        var encodings: [String] = []
        for field in headers.fields {
            guard isToken(field.name) else { throw .badRequest("a header name has a character that is not allowed") }
            // Some programs end a line there.
            guard !field.value.utf8.contains(UInt8(ascii: "\r")) else { throw .badRequest("a header value has a CR") }
            switch field.name.utf8.count {
            case 4 where Headers.isSame(field.name, "Host"): hosts += 1
            case 14 where Headers.isSame(field.name, "Content-Length"): lengths.append(field.value)
            case 17 where Headers.isSame(field.name, "Transfer-Encoding"): encodings.append(field.value)
            default: break
            }
        }
        guard hosts <= 1 else { throw .badRequest("more than one Host header") }
        guard hosts == 1 || isHTTP10 else { throw .badRequest("an HTTP/1.1 request needs a Host header") }
        guard lengths.count <= 1 else { throw .badRequest("more than one Content-Length header") }
        guard encodings.count <= 1 else { throw .badRequest("more than one Transfer-Encoding header") }
        if let encoding = encodings.first {
            guard lengths.isEmpty else { throw .badRequest("Content-Length together with Transfer-Encoding") }
            guard !isHTTP10 else { throw .badRequest("Transfer-Encoding in an HTTP/1.0 request") }
            guard Headers.isSame(encoding, "chunked") else {
                throw .badRequest("a Transfer-Encoding other than chunked")
            }
            return .chunked
        }
        guard let text = lengths.first else { return .none }
        guard let length = decimal(text) else { throw .badRequest("a malformed Content-Length header") }
        return length == 0 ? .none : .length(length)
    }

    /// Digits only; a number that is too large becomes the maximum.
    private static func decimal(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return Int(text) ?? .max
    }

    private static func isToken(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy(isTokenByte) }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
