/// What took the path away, which decides how long to wait for its return.
package enum DownCause: Sendable, Equatable, CaseIterable {
    /// The cable, the access point or the process behind a tunnel: it often comes back at once.
    case carrier
    /// Somebody switched the link off.
    case administrative
    /// The link does not exist any more.
    case gone
    /// There is no route, or one that cannot be used.
    case route
}
