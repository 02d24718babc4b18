import FoundationEssentials
import NetworkPath
import Probing

/// The network from a time on, as the log, the history and the event stream report it.
///
/// A state is a transition when one of these fields, other than the time, and the length and place of an outage, differs from the state before.
/// The words are raw values: a stored row may have any.
package struct Transition: Sendable, Equatable {
    /// Seconds since 1970, in whole milliseconds, so that stored and printed values agree.
    package var at: Double
    /// nil before the first verdict about the internet on a path that is new or came back.
    package var online: Bool?
    /// A `NetworkStatus`.
    package var status: String
    /// A `Path.UnsatisfiedReason`; nil while the path is satisfied.
    package var unsatisfiedReason: String?
    /// An `InternetState`; nil where the internet is not probed, and before the first verdict.
    package var internetState: String?
    package var interfaceName: String?
    /// A `ConnectionType`.
    package var connectionType: String
    /// A `NetworkQuality`.
    package var quality: String
    /// The `OutageCause` of the ongoing outage, or of the one that this transition ends; nil without one.
    package var outageCause: String?
    /// The length of the outage that this transition ends, in seconds with whole milliseconds; nil for every other transition.
    package var outageSeconds: Double?
    /// The `FaultLocation` of the outage that this transition ends; nil for every other transition.
    package var outageLocation: String?

    package init(
        at: Double,
        online: Bool? = nil,
        status: String,
        unsatisfiedReason: String? = nil,
        internetState: String? = nil,
        interfaceName: String? = nil,
        connectionType: String,
        quality: String,
        outageCause: String? = nil,
        outageSeconds: Double? = nil,
        outageLocation: String? = nil
    ) {
        self.at = at
        self.online = online
        self.status = status
        self.unsatisfiedReason = unsatisfiedReason
        self.internetState = internetState
        self.interfaceName = interfaceName
        self.connectionType = connectionType
        self.quality = quality
        self.outageCause = outageCause
        self.outageSeconds = outageSeconds
        self.outageLocation = outageLocation
    }

    /// The network from `state` on.
    package init(_ state: HealthState) {
        self.init(
            at: Self.rounded(state.timestamp.timeIntervalSince1970),
            online: state.isOnline,
            status: state.status.rawValue,
            unsatisfiedReason: state.path.unsatisfiedReason?.rawValue,
            internetState: state.internet?.state.rawValue,
            interfaceName: state.path.interface?.name,
            connectionType: state.connectionType.rawValue,
            quality: state.quality.rawValue,
            outageCause: state.outage.flatMap { $0.isOngoing ? $0.cause.rawValue : nil }
        )
    }

    /// The transition from a state to the next one; nil where no field differs.
    ///
    /// - Parameters:
    ///   - last: the state before; nil for the first, which is a transition.
    ///   - state: the state that follows.
    package init?(from last: HealthState?, to state: HealthState) {
        self.init(state)
        guard let last else { return }
        guard differs(from: Transition(last)) else { return nil }
        guard last.outage?.isOngoing == true, let ended = state.outage, let length = ended.length else { return }
        // With the first evidence of the end, which this state confirms. A time after that of this state is of a clock that was ahead.
        let (now, since) = (at, Self.rounded(last.since.timeIntervalSince1970))
        at = max(state.datedOutage?.end ?? now, since > now ? 0 : since)
        outageCause = ended.cause.rawValue
        outageSeconds = Self.rounded(length / .seconds(1))
        outageLocation = ended.location.rawValue
    }

    /// Whether any field differs, other than the time, and the length and place of an outage that ends.
    package func differs(from last: Transition) -> Bool {
        var last = last
        (last.at, last.outageSeconds, last.outageLocation) = (at, outageSeconds, outageLocation)
        return self != last
    }

    /// In whole milliseconds.
    static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
}
