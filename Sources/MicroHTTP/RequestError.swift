/// Why a request is refused before any handler sees it.
struct RequestError: Error, Equatable {
    let status: Int
    let message: String

    static func badRequest(_ message: String) -> RequestError { RequestError(status: 400, message: message) }
}
