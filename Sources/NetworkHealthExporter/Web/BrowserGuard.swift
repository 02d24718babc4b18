import MicroHTTP
import Posix

/// Keeps web pages from using their visitor's browser against the exporter.
///
/// A page of another site is detected by its origin (``RequestOrigin``). A page whose own name leads to the exporter's
/// address (DNS rebinding) is of the same origin, and is detected by that name in `Host`.
struct BrowserGuard: Sendable {
    let names: KnownNames

    init(names: KnownNames) { self.names = names }

    init(_ settings: Settings) {
        names = KnownNames(allowed: settings.allowedHosts, externalURL: settings.externalURL)
    }

    /// The same routes, which first of all check the name in `Host` where a browser may have sent the request.
    ///
    /// - Parameters:
    ///   - table: All routes of the server.
    ///   - open: The paths that any page may ask for.
    ///   - closed: The paths for which the name is checked whatever the program is.
    ///   - answer: Makes the answer to a refused request.
    /// - Returns: The table for the server.
    func guarding(
        _ table: [Route],
        open: Set<String> = [],
        closed: Set<String> = [],
        answer: @escaping @Sendable (_ path: String, _ status: Int, _ message: String) -> Response
    ) -> [Route] {
        table.map { route in
            guard !open.contains(route.path) else { return route }
            var guarded = route
            let isClosed = closed.contains(route.path)
            guarded.refusal = { [refusal = route.refusal] request in
                if isClosed || Self.isPossiblyBrowser(request), let reason = self.refusal(ofHost: request) {
                    return answer(request.path, 403, reason)
                }
                return refusal?(request)
            }
            return guarded
        }
    }

    /// Why a request that changes something is refused; nil: it is not.
    func refusal(ofChange request: Request) -> String? {
        RequestOrigin.isForeign(request) ? "the request comes from another site" : nil
    }

    /// Whether a browser may have sent a request.
    ///
    /// Every browser sends `Accept-Language` and `User-Agent`: a page can change both, also to nothing, and cannot leave
    /// them out. Some other programs send both, too.
    private static func isPossiblyBrowser(_ request: Request) -> Bool {
        let (headers, agent) = (request.headers, request.headers["User-Agent"])
        return agent != nil && headers["Accept-Language"] != nil || headers["Origin"] != nil
            || agent?.hasPrefix("Mozilla/") == true
            || headers.fields.contains { $0.name.prefix(10).lowercased() == "sec-fetch-" }
    }

    /// Why a request by an unknown name is refused; nil: it is not.
    private func refusal(ofHost request: Request) -> String? {
        // Only HTTP/1.0 has none, which no browser sends.
        guard let text = request.headers["Host"] else { return nil }
        if let place = HostPort(text), place.address != nil || names.contains(place.host) { return nil }
        return """
            the name "\(text.prefix(255))" in Host is not one of this exporter's: use its address, or start it with \
            \(FlagName.allowedHost)
            """
    }
}
