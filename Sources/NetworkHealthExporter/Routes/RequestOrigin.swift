import MicroHTTP

/// Whether a browser sent a request on behalf of another site's page.
///
/// State-changing requests of that kind are refused: any web page could send them through its visitor's browser.
enum RequestOrigin {
    static func isForeign(_ request: Request) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"] { return site != "same-origin" && site != "none" }
        guard let origin = request.headers["Origin"] else { return false }
        // Behind a proxy the scheme may differ, the host does not.
        guard let scheme = origin.firstRange(of: "://"), let host = request.headers["Host"] else { return true }
        return origin[scheme.upperBound...].lowercased() != host.lowercased()
    }
}
