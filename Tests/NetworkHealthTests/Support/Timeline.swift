import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Statistics
import Testing

/// A reducer and what happens to it, by the second.
final class Timeline {
    private(set) var reducer: HealthReducer

    init(expectsVerdict: Bool = true) { reducer = HealthReducer(expectsVerdict: expectsVerdict) }

    var outages: OutageTracker { reducer.statistics?.outages ?? OutageTracker(startedAt: Moment.at(0)) }
    var lastOutage: DatedOutage? { reducer.statistics?.lastOutage }
    var lastTransition: Date? { reducer.statistics?.lastTransition }

    func date(_ second: Double) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + second) }

    func up(
        _ generation: UInt64,
        at second: Double,
        over type: Interface.InterfaceType = .wiredEthernet
    ) -> HealthState {
        let update = PathUpdate.made(.over(type), generation, evidence: second, published: second)
        return reducer.apply(update, at: Moment.at(second), date: date(second))
    }

    func down(
        _ generation: UInt64,
        at second: Double,
        cause: DownCause? = nil,
        reason: Path.UnsatisfiedReason = .linkDown
    ) -> HealthState {
        let path = Path(status: .unsatisfied, unsatisfiedReason: reason)
        let update = PathUpdate.made(path, generation, evidence: second, published: second, cause: cause)
        return reducer.apply(update, at: Moment.at(second), date: date(second))
    }

    func verdict(
        _ state: InternetState,
        _ cause: InternetCause? = nil,
        on generation: UInt64,
        evidence: Double? = nil,
        at second: Double,
        isSuspect: Bool = false,
        isHindered: Bool = false,
        isUnknownToHost: Bool = false,
        isRecovering: Bool = false,
        recovered: Double? = nil
    ) -> HealthState? {
        let verdict = InternetVerdict(
            state: state,
            cause: cause,
            evidenceAt: Moment.at(evidence ?? second),
            isSuspect: isSuspect,
            isHindered: isHindered,
            isUnknownToHost: isUnknownToHost,
            isRecovering: isRecovering,
            recoveredAt: recovered.map { Moment.at($0) },
            generation: generation
        )
        return reducer.apply(verdict, at: Moment.at(second), date: date(second))
    }

    /// The place of the outage that began at `begin` is found at that second.
    func located(_ place: FaultLocation, begin: Double, at second: Double) -> HealthState? {
        reducer.located(place, since: Moment.at(begin), date: date(second))
    }

    /// The state before the last call of `missed(at:)`.
    private(set) var before: HealthState?

    /// The process is to run again at that second.
    func due(at second: Double) { reducer.expectObservation(by: Moment.at(second)) }

    /// It runs at that second.
    func missed(at second: Double) -> [HealthState] {
        before = reducer.state
        return reducer.missed(at: Moment.at(second), date: date(second))
    }

    func expect(_ expects: Bool, at second: Double) -> HealthState? {
        reducer.expectVerdicts(expects, at: Moment.at(second), date: date(second))
    }
}
