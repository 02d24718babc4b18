import Posix

/// What the shell reports, and what it is asked for.
extension InternetStateMachine {
    enum Event: Sendable {
        case pathChanged(InternetPath)
        /// This host was suspended, or this process stopped: earlier findings are void.
        case resumed
        case configured(InternetConfiguration)
        /// The traffic of other programs since the last report, unrequested.
        case observed(PassiveReport)
        case passiveReport(PassiveReport?)
        /// The packet loss among the last 100 packets.
        case lossMeasured(Double)
        case reported(RoundReport, round: UInt64)
        /// A probe of a target, the router included, that was sent at `since` failed; nil: in any family.
        case failed(String, since: Instant, family: AddressFamily?)
        /// Whether something answers that may have been silent.
        case sensed(RoundTriggers.Source, isAlive: Bool)
        /// The largest packet that the path carries; nil: it was not found.
        case mtuMeasured(AddressFamily, Int?)
        case timerFired
    }

    enum Action: Sendable, Equatable {
        /// Requests a report, which comes as `passiveReport`.
        case requestPassiveReport
        /// Ends the previous round.
        case startRound(RoundPlan)
        case cancelRound
        /// Sends and reads this, and reports what answers as `sensed` and `observed`.
        case pulse(Pulse)
        /// Finds the largest packets that reach these addresses, and reports each as `mtuMeasured`; ends the search before.
        case measureMTU([AddressFamily: IPAddress])
        case publish(InternetVerdict)
    }
}
