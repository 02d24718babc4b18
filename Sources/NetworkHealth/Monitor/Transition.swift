import FoundationEssentials
import NetworkPath
import Probing

/// What is known of the network from some time on, as the log, the history and the event stream say it.
///
/// A state is a transition when one of these fields, but for the time and the length, is another than in the state before.
/// The words are raw values: a stored row may have those of another version.
package struct Transition: Sendable, Equatable {
    /// Seconds since 1970, in whole milliseconds: what is printed is what is kept.
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
    /// The `OutageCause` of the outage that goes on, or that this transition ends; nil without one.
    package var outageCause: String?
    /// How long the outage took that this transition ends, in whole milliseconds; nil for every other transition.
    package var outageSeconds: Double?

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
        outageSeconds: Double? = nil
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
    }

    /// What is known from `state` on.
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

    /// The transition from a state to the next one; nil where that says nothing else.
    ///
    /// - Parameters:
    ///   - last: the state before; nil for the first, which is a transition.
    ///   - state: the state that follows.
    package init?(from last: HealthState?, to state: HealthState) {
        self.init(state)
        guard let last else { return }
        guard differs(from: Transition(last)) else { return nil }
        guard last.outage?.isOngoing == true, let ended = state.outage, let length = ended.length else { return }
        outageCause = ended.cause.rawValue
        outageSeconds = Self.rounded(length / .seconds(1))
    }

    /// Whether it says anything else; the time and the length alone are nothing.
    package func differs(from last: Transition) -> Bool {
        var last = last
        (last.at, last.outageSeconds) = (at, outageSeconds)
        return self != last
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
}
