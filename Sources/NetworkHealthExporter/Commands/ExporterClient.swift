import ArgumentParser
import HTTPTransfer
import Posix

/// A running exporter, which `check` and `healthcheck` query over HTTP.
struct ExporterClient {
    /// Why there was no answer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// `http://HOST:PORT`, with the prefix of every path.
    let base: String
    private let loop: TransferLoop

    /// - Parameter url: `http://HOST[:PORT][/PREFIX]`; nil: the exporter of this machine, see ``local(_:)``.
    /// - Throws: `UsageError` for another URL, `SystemError` where descriptors or threads have run out.
    init(_ url: String?) throws {
        base = try Self.base(of: url ?? Self.local(.process))
        loop = try TransferLoop(name: "client", userAgent: Version.userAgent)
    }

    /// The URL with its port and without slashes at its end.
    static func base(of url: String) throws(UsageError) -> String {
        let refusal = UsageError("--url: expected http://HOST:PORT, found \"\(url)\"")
        let scheme = "http://"
        guard url.hasPrefix(scheme), !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else { throw refusal }
        let authority = url.dropFirst(scheme.count).prefix { $0 != "/" }
        // curl resolves the zone in `[fe80::1%eth0]`.
        guard let place = HostPort(String(authority)), authority.hasPrefix("[") || !place.host.contains(":") else {
            throw refusal
        }
        var prefix = url[authority.endIndex...]
        while prefix.hasSuffix("/") { prefix.removeLast() }
        return scheme + authority + (place.port == nil ? ":10319" : "") + prefix
    }

    /// Where the exporter of this machine listens and below which prefix, according to the environment.
    ///
    /// Throws `UsageError` for a variable that the exporter itself would refuse.
    static func local(_ environment: Environment) throws -> String {
        let settings = try Settings(Options.parse([]), environment)
        let listen = settings.listenAddresses.first ?? ":10319"
        let port = listen.split(separator: ":", omittingEmptySubsequences: false).last ?? "10319"
        let host = listen.dropLast(port.count + 1)
        let isAny = ["", "0.0.0.0", "[::]"].contains(String(host))
        return "http://\(isAny ? "localhost" : String(host)):\(port)\(settings.routePrefix)"
    }

    /// One GET; at most 64 KiB of the body are read.
    func get(_ path: String, timeout: Duration) async throws(Failure) -> TransferResponse {
        try await perform(.get, path, timeout: timeout, limit: 65_536)
    }

    // One request without a body; `limit`: bytes of the answer's body that are read.
    func perform(
        _ method: TransferRequest.Method,
        _ path: String,
        headers: [(name: String, value: String)] = [],
        timeout: Duration,
        limit: Int = 16 << 20
    ) async throws(Failure) -> TransferResponse {
        var request = TransferRequest(url: base + path, method: method)
        request.headers = headers
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

extension TransferResponse {
    /// The body as text that ends with a line end.
    var text: String {
        let text = String(decoding: body, as: UTF8.self)
        return text.hasSuffix("\n") ? text : text + "\n"
    }

    /// The seconds of `Retry-After`; nil without one, and where that is a date.
    var retryAfter: Duration? { header("Retry-After").flatMap { UInt32($0.trimmed) }.map { .seconds($0) } }
}
