import FoundationEssentials
import HTTPTransfer

/// Compares this host's clock with a server's.
enum ClockCheck {
    /// In seconds.
    ///
    /// Certificates live for weeks and are made a little old: less than a day does not make them invalid.
    static let tolerance = 86_400.0

    /// How far this host's clock is ahead of the server's; negative where it is behind.
    ///
    /// The server wrote its `Date`, in whole seconds, between the two moments: a difference that this explains is zero.
    /// An answer from a cache has the `Date` of its origin and its `Age` since, in whole seconds, too.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - sent: the time of this host before the request was sent.
    ///   - received: the time of this host after the answer was received.
    /// - Returns: nil without a `Date` that can be read.
    static func skew(of response: TransferResponse, between sent: Date, and received: Date) -> Duration? {
        guard let date = response.header("Date").flatMap(HTTPDate.parse) else { return nil }
        let age = response.header("Age").flatMap { UInt32($0) }
        let earliest = date + Double(age ?? 0)
        let latest = earliest + (age == nil ? 1 : 2)
        guard received < earliest || sent > latest else { return .zero }
        let middle = (sent.timeIntervalSinceReferenceDate + received.timeIntervalSinceReferenceDate) / 2
        let server = (earliest.timeIntervalSinceReferenceDate + latest.timeIntervalSinceReferenceDate) / 2
        return .seconds(middle - server)
    }

    /// The smallest in either direction.
    static func nearest(_ skews: some Sequence<Duration>) -> Duration? {
        skews.min { max($0, .zero - $0) < max($1, .zero - $1) }
    }
}
