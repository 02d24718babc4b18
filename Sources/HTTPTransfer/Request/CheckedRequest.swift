import Glibc
import Posix

/// A valid request, in the form that libcurl takes.
struct CheckedRequest: Sendable {
    let request: TransferRequest
    let url: String
    /// Where the request goes.
    let destination: WebURL
    /// CURLOPT_CONNECT_TO: leads from `serverName`, which is then in the URL, to the true host.
    let connectTo: String?
    /// One a header, as CURLOPT_HTTPHEADER wants them.
    let headerLines: [String]
    /// What has to be resolved before a connection.
    let names: NamesToResolve

    /// - Throws: A `TransferError` of reason `invalidRequest`.
    init(_ request: TransferRequest) throws(TransferError) {
        guard let destination = WebURL(request.url) else {
            throw Self.invalid("not an absolute http or https URL")
        }
        try Self.check(request)
        self.request = request
        self.destination = destination
        var lines = Self.lines(of: request)
        if let name = request.tls.serverName, destination.isTLS {
            // Nothing that CURLOPT_CONNECT_TO could read as more than a name.
            guard HostPort.isName(name) || IPAddress(name)?.family == .ipv4 else {
                throw Self.invalid("the server name is not a host name")
            }
            var named = destination
            named.host = name
            url = named.description
            connectTo = "\(name):\(destination.port):\(destination.hostPort)"
            if !request.hasHeader("host") { lines.append("Host: \(destination.authority)") }
        } else {
            url = request.url
            connectTo = nil
        }
        headerLines = lines
        names = NamesToResolve(destination, proxy: request.proxy, family: request.family)
    }

    /// Whether the name that is looked up is an address already.
    var needsNoLookup: Bool {
        request.proxy == nil && destination.hostPort.address != nil
    }

    /// Whether no kept connection can make the lookup of its names needless.
    var needsAddressesFirst: Bool {
        !names.isEmpty && (request.usesFreshConnection || request.proxy != nil)
    }

    private static func check(_ request: TransferRequest) throws(TransferError) {
        for (name, value) in request.headers {
            guard HeaderRules.isName(name) else { throw invalid("a header's name is no token") }
            guard HeaderRules.isValue(value) else { throw invalid("header \(name) holds a line end or a NUL") }
            // Both follow from the body; a value of the caller's could let the two sides disagree about its end.
            guard !["content-length", "transfer-encoding"].contains(name.lowercased()) else {
                throw invalid("header \(name) cannot be set by the caller")
            }
        }
        switch (request.method, request.body) {
        case (_, .none), (.put, _), (.post, _), (.patch, _), (.delete, _): break
        case (.get, _), (.head, _): throw invalid("\(request.method.rawValue) has no body")
        }
        if let length = request.body.length, length < 0 { throw invalid("the body's length is negative") }
        if let name = request.interface {
            guard (1...15).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "/") })
            else { throw invalid("no device can have the name \(name.debugDescription)") }
        }
        guard request.proxy?.utf8.allSatisfy({ $0 > 0x20 }) ?? true else {
            throw invalid("the proxy holds a space or a control character")
        }
        for file in [request.tls.caFile, request.tls.certificateFile, request.tls.keyFile].compactMap(\.self) {
            guard access(file, R_OK) == 0 else { throw invalid("cannot read \(file)") }
        }
    }

    private static func lines(of request: TransferRequest) -> [String] {
        // `Name;` is libcurl's way to send a header without a value, `Name:` to send none at all.
        var lines = request.headers.map { name, value in
            value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)"
        }
        switch (request.method, request.body) {
        case (.get, _), (.head, _), (_, .none): break
        case (_, .bytes), (_, .stream), (_, .repeating):
            if !request.hasHeader("expect") { lines.append("Expect:") }
        }
        if request.method == .post {
            if !request.hasHeader("content-type") { lines.append("Content-Type:") }
            if case .stream(length: nil, next: _) = request.body { lines.append("Transfer-Encoding: chunked") }
        }
        return lines
    }

    private static func invalid(_ message: String) -> TransferError {
        TransferError(.invalidRequest, phase: .resolve, message: message)
    }
}

extension TransferRequest {
    /// Throws a `TransferError` of reason `invalidRequest` where the request can never be made.
    package func validate() throws(TransferError) { _ = try CheckedRequest(self) }

    fileprivate func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.name.lowercased() == name }
    }
}

/// What may be sent as a header field (RFC 9110 section 5).
package enum HeaderRules {
    /// Whether only the program that owns a connection may set it: where it goes, its framing, and what holds for one hop.
    package static func belongsToConnection(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("proxy-")
            || [
                "host", "connection", "content-length", "expect", "http2-settings", "keep-alive", "te", "trailer",
                "transfer-encoding", "upgrade",
            ].contains(name)
    }

    /// Whether it is a token (RFC 9110 section 5.6.2).
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(isTokenByte)
    }

    /// Whether it stays on its line.
    static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
