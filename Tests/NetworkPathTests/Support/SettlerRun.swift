import Testing

@testable import NetworkPath

/// Drives a settler as its caller does: evaluates the situation of the moment at each deadline.
struct SettlerRun {
    private(set) var updates: [PathUpdate] = []
    private var settler: PathSettler
    private var scene: Scene

    init(_ scene: Scene, timings: SettleTimings = SettleTimings()) {
        settler = PathSettler(timings: timings)
        self.scene = scene
        evaluate(at: epoch)
    }

    /// What was published, as steps of a test.
    var published: [Step] {
        updates.map { update in
            let scene = Scene.allCases.first { $0.evaluation.path == update.path } ?? .online
            return .publish(milliseconds(update.publishedAt), scene, evidence: milliseconds(update.evidenceAt))
        }
    }

    var deadline: SuspendingClock.Instant? { settler.deadline() }

    mutating func event(_ scene: Scene, at time: Int) {
        let now = epoch.advanced(by: .milliseconds(time))
        run(until: now)
        self.scene = scene
        settler.event(at: now)
    }

    /// Serves every deadline before this time.
    mutating func run(until end: SuspendingClock.Instant) {
        while let deadline = settler.deadline(), deadline < end { evaluate(at: deadline) }
    }

    /// Serves every deadline that is left; a settler that never rests ends the test by its bound.
    mutating func finish() {
        for _ in 0..<100 {
            guard let deadline = settler.deadline() else { return }
            evaluate(at: deadline)
        }
        Issue.record("the settler still has a deadline after 100 evaluations without an event")
    }

    private mutating func evaluate(at now: SuspendingClock.Instant) {
        if let update = settler.evaluated(scene.evaluation, at: now) { updates.append(update) }
    }

    private func milliseconds(_ instant: SuspendingClock.Instant) -> Int {
        Int((epoch.duration(to: instant) / .milliseconds(1)).rounded())
    }
}
