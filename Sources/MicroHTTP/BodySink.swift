/// Takes the body of one request as it comes, so that it may be of any size: nothing of it is kept by the server.
///
/// Made by a ``Route/Handler/sink(_:)`` once the headers have come. All is called on the event thread, so be brief.
public protocol BodySink: AnyObject {
    /// From the end of the headers to the end of the body; then the client gets 408 and the connection is closed.
    var deadline: Duration { get }

    /// Takes the next bytes.
    ///
    /// nil to go on. A response refuses the rest: it is sent at once, and the connection is closed a second later.
    func receive(_ piece: RawSpan) -> Response?

    /// Answers: the body is complete.
    func finish() -> Response

    /// Told that the rest will not come: refused, too late, or the client has gone.
    func abort()
}
