/// Why a request is refused in place of its handler.
struct RequestError: Error, Equatable {
    let status: Int
    let message: String
    /// Seconds after which the client may try again.
    var retryAfter: Int?

    static func badRequest(_ message: String) -> RequestError { RequestError(status: 400, message: message) }

    /// Something that other requests have taken, and will give back.
    static func overloaded(_ message: String, retryAfter: Int = 5) -> RequestError {
        RequestError(status: 503, message: message, retryAfter: retryAfter)
    }
}

extension Server.Configuration {
    /// The answer to it; the path is empty before there is a request.
    func answer(to error: RequestError, path: String = "") -> Response {
        var response = errorResponse(path, error.status, error.message)
        if let seconds = error.retryAfter { response.headers["Retry-After"] = "\(seconds)" }
        return response
    }
}
