import Lab
import Testing

@testable import NetworkPath

/// Random situations at random times against what must hold for any of them.
struct PathSettlerModelTests {
    private static let downHold = 1000
    private static let upHold = 300
    private static let burst = 250

    @Test(arguments: 0..<200)
    func `whatever happens, what is published is settled, in order and in time`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var history: [(time: Int, scene: Scene)] = [(0, .online)]
        var run = SettlerRun(.online)
        var time = 1000
        for _ in 0..<200 {
            let scene = Scene.allCases.randomElement(using: &random) ?? .online
            run.event(scene, at: time)
            history.append((time, scene))
            // Bursts, pauses within a hold, and silence.
            time += Int.random(
                in: [0...10, 20...400, 300...2500].randomElement(using: &random) ?? 0...10,
                using: &random
            )
        }
        run.finish()

        #expect(run.deadline == nil)
        #expect(run.updates.map(\.generation) == Array(1...UInt64(run.updates.count)))
        for (old, new) in zip(run.updates, run.updates.dropFirst()) {
            #expect(old.path != new.path)
            #expect(new.changes == PathUpdate.difference(old.path, new.path))
            #expect(old.publishedAt < new.publishedAt)
            #expect(new.evidenceAt <= new.publishedAt)
        }
        check(run.published, against: history)
    }

    private func check(_ published: [Step], against history: [(time: Int, scene: Scene)]) {
        var previous = Scene.online
        for case .publish(let time, let scene, let evidence) in published.dropFirst() {
            // It was true at that moment, and the evidence is an event.
            #expect(history.last { $0.time <= time }?.scene == scene)
            #expect(history.contains { $0.time == evidence })
            let wait = time - evidence
            // From the evidence on, no published situation came back to stay for longer than a burst.
            if previous.isSatisfied, !scene.isSatisfied {
                #expect(![.unplugged, .flushed].contains(scene) || previous == .wifi || wait >= Self.downHold)
                #expect(wait <= Self.downHold + Self.burst)
            } else if !previous.isSatisfied, scene.isSatisfied {
                #expect(wait >= Self.upHold && wait <= Self.upHold + Self.burst)
            } else {
                #expect(wait <= Self.burst)
            }
            previous = scene
        }
        // In the end the truth is out.
        #expect(previous == history.last?.scene)
        expectPublished(history, published)
    }

    /// A situation that lasts longer than any wait is published before the next one begins.
    private func expectPublished(_ history: [(time: Int, scene: Scene)], _ published: [Step]) {
        for (event, next) in zip(history, history.dropFirst())
        where next.time - event.time > Self.downHold + Self.burst {
            let last = published.last { step in
                if case .publish(let time, _, _) = step { time < next.time } else { false }
            }
            guard case .publish(_, let scene, _) = last else { continue }
            #expect(scene == event.scene)
        }
    }
}
