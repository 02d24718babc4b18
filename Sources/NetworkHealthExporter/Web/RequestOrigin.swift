import HTTPTransfer
import MicroHTTP

/// Whether a browser sent a request on behalf of another site's page.
///
/// Such state-changing requests are refused: any web page could send them through its visitor's browser.
enum RequestOrigin {
    static func isForeign(_ request: Request) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"] { return site != "same-origin" && site != "none" }
        guard let origin = request.headers["Origin"] else { return false }
        // Behind a proxy the scheme may differ, the host does not.
        guard let origin = WebURL(origin), let host = request.headers["Host"] else { return true }
        return origin.authority.lowercased() != host.lowercased()
    }

    /// The origin of the page that a request seems to be for, where that is another site's; empty where it hides.
    ///
    /// A browser names the page's site only to localhost and over TLS, and its origin not for an image: over plain HTTP
    /// there is only the referrer, which a page may leave out. But every browser sends `Accept-Language`, and a `User-Agent`
    /// that begins with `Mozilla/`. A page cannot change that `User-Agent` without CORS, with which its origin is sent. Of
    /// other programs, those in Node and those with URLSession on Linux send `Accept-Language`.
    static func foreignPage(_ request: Request) -> String? {
        if isForeign(request) { return request.headers["Origin"] ?? "" }
        guard request.headers["Sec-Fetch-Site"] == nil, request.headers["Origin"] == nil else { return nil }
        guard let referrer = request.headers["Referer"].flatMap({ WebURL($0) }) else {
            return isFromBrowser(request) ? "" : nil
        }
        return referrer.authority.lowercased() == request.headers["Host"]?.lowercased() ? nil : referrer.origin
    }

    private static func isFromBrowser(_ request: Request) -> Bool {
        request.headers["Accept-Language"] != nil && !isFromNode(request)
            && request.headers["User-Agent"]?.hasPrefix("Mozilla/") == true
    }

    /// Whether a request without `Sec-Fetch-Site` has the headers of Node's `fetch` and `WebSocket`.
    ///
    /// A browser sends either all headers `Sec-Fetch-…` or none, and a page cannot set them, though it can set
    /// `Accept-Language`.
    private static func isFromNode(_ request: Request) -> Bool {
        request.headers["Accept-Language"] == "*" && request.headers["Sec-Fetch-Mode"] != nil
    }
}
