import ArgumentParser
import FoundationEssentials
import HTTPTransfer
import MicroHTTP
import Posix
import Probing

/// A running exporter, which commands query over HTTP.
struct ExporterClient {
    /// What a command queries, which determines the listener of the local exporter.
    enum Purpose {
        /// `/health` and `/-/healthy`, which the health listener has, too.
        case health
        case everything
    }

    /// Why there was no answer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// `http://HOST:PORT`, with the prefix of every path.
    let base: String
    private let configuration: ClientConfiguration
    private let loop: TransferLoop

    /// - Parameters:
    ///   - options: without a URL, the exporter of this machine is queried, see ``local(_:_:)``.
    ///   - purpose: what is queried.
    /// - Throws: `UsageError` for a wrong option, `SystemError` where descriptors or threads have run out.
    init(_ options: ClientOptions, _ purpose: Purpose) throws {
        let configuration = try ClientConfiguration(options, .process)
        base = try Self.base(of: options.url ?? Self.local(.process, purpose))
        let isOpen = options.url == nil && purpose == .health && Environment.process.text(.healthListenAddress) != nil
        // The health listener needs no credentials, and would get them without TLS.
        self.configuration = isOpen ? ClientConfiguration() : configuration
        loop = try TransferLoop(name: "client", userAgent: Version.userAgent)
    }

    /// The URL with its port and without slashes at its end.
    static func base(of url: String) throws(UsageError) -> String {
        let refusal = UsageError("--url", expected: "http://HOST:PORT or https://HOST:PORT", found: url)
        let url = HostPort.bracketed(url: url)
        guard let scheme = ["http://", "https://"].first(where: url.hasPrefix),
            !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f })
        else { throw refusal }
        let authority = url.dropFirst(scheme.count).prefix { $0 != "/" }
        // curl resolves the zone in `[fe80::1%eth0]`.
        guard let place = HostPort(String(authority)), authority.hasPrefix("[") || !place.host.contains(":") else {
            throw refusal
        }
        var prefix = url[authority.endIndex...]
        while prefix.hasSuffix("/") { prefix.removeLast() }
        return scheme + authority + (place.port == nil ? ":10319" : "") + prefix
    }

    /// Whether the requests have credentials.
    var isAuthorized: Bool { configuration.request.authorization != nil }

    /// Where the exporter of this machine listens and below which prefix, according to the environment.
    ///
    /// Throws `UsageError` for a variable that the exporter itself would refuse.
    static func local(_ environment: Environment, _ purpose: Purpose = .everything) throws -> String {
        let settings = try Settings(Options.parse([]), environment)
        if purpose == .health, let listen = settings.healthListenAddress {
            return url("http", listen, settings.routePrefix)
        }
        return url(
            try isSecure(settings) ? "https" : "http",
            settings.listenAddresses.first ?? ":10319",
            settings.routePrefix
        )
    }

    private static func isSecure(_ settings: Settings) throws(UsageError) -> Bool {
        guard let file = settings.webConfigFile else { return false }
        do {
            return try WebConfiguration.parse(SmallFile.read(file, limit: 1 << 20), file: file).0.tls.isEnabled
        } catch {
            throw UsageError("\(FlagName.webConfigFile.variable): \(error)")
        }
    }

    private static func url(_ scheme: String, _ listen: String, _ prefix: String) -> String {
        (try? ListenAddress(listen)).map { url(scheme, $0, prefix) } ?? "\(scheme)://localhost:10319\(prefix)"
    }

    /// The URL by which this machine reaches a listener.
    static func url(_ scheme: String, _ listen: ListenAddress, _ prefix: String) -> String {
        let isAny = ["", "0.0.0.0", "::"].contains(listen.host)
        return "\(scheme)://\(HostPort(host: isAny ? "localhost" : listen.host, port: listen.port))\(prefix)"
    }

    /// One GET; at most 64 KiB of the body are read.
    func get(_ path: String, timeout: Duration) async throws(Failure) -> TransferResponse {
        try await perform(.get, path, timeout: timeout, limit: 65_536)
    }

    /// One request without a body, of a command that ends with exit status 3 without an answer, and says why.
    func answer(
        _ method: TransferRequest.Method,
        _ path: String,
        headers: [(name: String, value: String)] = [],
        timeout: Duration
    ) async throws(ExitCode) -> TransferResponse {
        do throws(Failure) {
            let response = try await perform(method, path, headers: headers, timeout: timeout, limit: 16 << 20)
            guard !response.isTruncated else { throw Failure(description: "\(base): the answer is larger than 16 MiB") }
            return response
        } catch {
            StandardError.write("\(error)\n")
            throw ExitCode(3)
        }
    }

    /// One request without a body, of whose answer at most `limit` bytes are read.
    private func perform(
        _ method: TransferRequest.Method,
        _ path: String,
        headers: [(name: String, value: String)] = [],
        timeout: Duration,
        limit: Int
    ) async throws(Failure) -> TransferResponse {
        var request = TransferRequest(url: base + path, method: method)
        request.headers = headers
        request.apply(configuration.request)
        request.timeout = timeout
        request.sink = .collect(limit: limit)
        do throws(TransferError) {
            return try await loop.perform(request)
        } catch {
            // The message begins with host and port.
            throw Failure(description: error.message)
        }
    }
}

extension String {
    /// As the value of a query (RFC 3986).
    var queryEscaped: String {
        utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte.isWordByte || character == "-" || character == "."
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

extension TransferResponse {
    /// The body as text that ends with a line end.
    var text: String {
        let text = String(decoding: body, as: UTF8.self)
        return text.hasSuffix("\n") ? text : text + "\n"
    }

    /// The sentence of an error, which the exporter's API answers as `{"error":"…"}`; else the body.
    var errorText: String {
        struct Document: Decodable {
            var error: String
        }
        let document = try? JSONDecoder().decode(Document.self, from: Data(body))
        return document?.error ?? "status \(status): \(text.trimmed)"
    }

    /// The seconds of `Retry-After`; nil without one, and where that is a date.
    var retryAfter: Duration? { header("Retry-After").flatMap { UInt32($0.trimmed) }.map { .seconds($0) } }
}
