import Glibc
import HTTPTransfer
import MicroHTTP
import Posix

/// Keeps web pages from using their visitor's browser against the exporter.
///
/// A page of another site is detected by its origin (``RequestOrigin``). A page whose own name leads to the exporter's
/// address (DNS rebinding) is of the same origin, and is detected by that name in `Host`.
struct BrowserGuard: Sendable {
    /// In lower case.
    private let names: Set<String>

    /// - Parameters:
    ///   - names: The names of ``FlagName/allowedHost``.
    ///   - externalURL: The address for browsers, whose name is accepted, too.
    ///   - hostName: The name of this host.
    init(names: [String] = [], externalURL: WebURL? = nil, hostName: String = Self.hostName) {
        let all = names + [externalURL?.host, "localhost", hostName].compactMap(\.self)
        self.names = Set(all.map { $0.lowercased() })
    }

    /// Why a request that changes something is refused; nil: it is not.
    ///
    /// Without the headers of browsers, any name in `Host` is accepted.
    func refusal(ofChange request: Request) -> String? {
        if RequestOrigin.isForeign(request) { return "the request comes from another site" }
        let isFromBrowser = request.headers.fields.contains { field in
            let name = field.name.lowercased()
            return name == "origin" || name.hasPrefix("sec-fetch-")
        }
        return isFromBrowser ? refusal(ofHost: request) : nil
    }

    /// Why a request that reads what pages must not see is refused; nil: it is not.
    ///
    /// This applies to every program, since browsers do not send such headers with each request.
    func refusal(ofHost request: Request) -> String? {
        // Only HTTP/1.0 has none, which no browser sends.
        guard let text = request.headers["Host"] else { return nil }
        if let place = HostPort(text), place.address != nil || names.contains(place.host.lowercased()) { return nil }
        return """
            the name "\(text.prefix(255))" in Host is not one of this exporter's: use its address, or start it with \
            \(FlagName.allowedHost)
            """
    }

    private static var hostName: String {
        // HOST_NAME_MAX is 64.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, gethostname(base, buffer.count - 1) == 0 else { return "localhost" }
            buffer[buffer.count - 1] = 0
            return String(cString: base)
        }
    }
}
