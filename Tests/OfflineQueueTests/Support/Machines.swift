import Foundation
import Lab

@testable import OfflineQueue

extension QueueEntry {
    /// Made at the time 0 unless said otherwise, with an ordering key unless a host is given, and each lane to another server.
    static func make(
        _ sequence: Int64,
        lane: String = "key",
        host: String? = nil,
        server: String? = nil,
        requirement: String? = nil,
        size: Int = 10,
        maxRetries: Int = 0,
        end: Duration = .seconds(1_000_000_000_000),
        due: Duration = .zero
    ) -> QueueEntry {
        QueueEntry(
            sequence: sequence,
            id: id(sequence),
            lane: QueueLane.Key(name: host ?? lane, keepsOrder: host == nil),
            server: server ?? host ?? lane,
            requirement: requirement,
            size: size,
            maxRetries: maxRetries,
            made: .zero,
            end: end,
            due: due
        )
    }

    static func id(_ sequence: Int64) -> UUID {
        UUID(uuidString: "00000000-0000-0000-0000-" + String(format: "%012ld", Int(sequence))) ?? UUID()
    }
}

extension QueueMachine {
    /// Online, with these requests.
    static func make(_ entries: QueueEntry..., limits: QueueLimits = QueueLimits()) -> QueueMachine {
        var machine = QueueMachine(limits: limits)
        machine.setOnline(true)
        for entry in entries { machine.add(entry) }
        return machine
    }

    /// Ends a try and does what follows from it.
    mutating func finish(_ sequence: Int64, _ attempt: Attempt, now: Duration = .zero, seed: UInt64 = 1) -> Verdict {
        var random = SplitMix64(state: seed)
        return finish(sequence, attempt, now: now, jitter: .random(in: 0...1, using: &random))
    }

    /// Ends a try and does what follows from it; the wait is this share of its bound.
    @discardableResult
    mutating func finish(_ sequence: Int64, _ attempt: Attempt, now: Duration, jitter: Double) -> Verdict {
        let verdict = end(sequence, attempt, now: now, jitter: jitter)
        switch verdict {
        case .delivered: remove(sequence, nil)
        case .discard(let reason): remove(sequence, reason)
        case .retry, .withdrawn: release(sequence)
        }
        return verdict
    }

    mutating func sends(_ seconds: Double = 0, satisfied: Set<String> = []) -> [Int64] {
        plan(now: .seconds(seconds), satisfied: satisfied).sends
    }
}

extension QueueMachine.Verdict {
    /// When it is tried again, and whether the failure counts as a try; nil where it is not.
    var retry: (due: Duration, counts: Bool)? {
        if case .retry(let due, let counts) = self { (due, counts) } else { nil }
    }
}

extension QueueMachine.Attempt {
    static func status(_ status: Int, retryAfter: Duration? = nil) -> Self {
        .answered(status: status, retryAfter: retryAfter)
    }
}
