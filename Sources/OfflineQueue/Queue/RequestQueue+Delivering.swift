import Coordination
import FoundationEssentials

extension RequestQueue {
    /// Delivers until the task is cancelled; a second call while one runs returns at once.
    ///
    /// Returns at once too where the file cannot be opened (``failure``), and may be called again then. A run that has ended has used up the
    /// sequence `online`: make another queue to go on.
    public func run() async {
        guard let store = try? await opening.store() else { return }
        let isFirst = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.followNetwork { isOnline in
                    self.machine.withLock { $0.setOnline(isOnline) }
                    self.alarm.wake()
                }
            }
            group.addTask { await self.deliver(from: store) }
        }
        isRunning.withLock { $0 = false }
    }

    private func deliver(from store: QueueStore) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let plan = makePlan()
                for sequence in plan.sends {
                    group.addTask {
                        await self.attempt(sequence, from: store)
                        self.alarm.wake()
                    }
                }
                // Where it fails, the next removal repeats it.
                if !plan.expired.isEmpty { try? await remove(plan.expired, from: store) }
                var wake = plan.wake ?? .seconds(1_000_000_000)
                if plan.waitsForRequirement { wake = min(wake, stopwatch.elapsed + .seconds(5)) }
                onChange()
                await alarm.sleep(until: wake)
            }
        }
    }

    private func makePlan() -> QueueMachine.Plan {
        let requirements = machine.read { $0.requirements }
        // The program's own code: not under the lock.
        let satisfied = requirements.filter { isSatisfied?($0) ?? false }
        return machine.withLock { $0.plan(now: stopwatch.elapsed, satisfied: satisfied) }
    }

    /// Sends a request once, stores what follows from it, and only then lets the next one of its lane go.
    private func attempt(_ sequence: Int64, from store: QueueStore) async {
        let attempt: QueueMachine.Attempt
        var (request, response, failure): (RetryableRequest?, DeliveryResponse?, String?) = (nil, nil, nil)
        do {
            request = try await store.request(sequence)
            guard let request else {
                // Its row is damaged: its key would be that of a request that waits.
                try? await remove([sequence], from: store)
                return machine.withLock { $0.remove(sequence, .invalid) }
            }
            let answer = try await sender.send(request.sent)
            response = answer
            attempt = .answered(status: answer.statusCode, retryAfter: answer.retryAfter)
        } catch {
            failure = String(describing: error)
            attempt =
                switch error as? OfflineError {
                case _ where Task.isCancelled: .interrupted
                case .forbidden: .forbidden
                case .invalidRequest: .invalid
                case .forbiddenAddress: .forbiddenAddress
                default: .failed
                }
        }
        let verdict = machine.withLock {
            $0.end(sequence, attempt, error: failure, now: stopwatch.elapsed, jitter: .random(in: 0...1))
        }
        switch verdict {
        case .withdrawn: machine.withLock { $0.release(sequence) }
        case .delivered:
            try? await remove([sequence], areDelivered: true, from: store)
            machine.withLock { $0.remove(sequence, nil) }
            if let request, let response { delivered.send(Delivery(request: request, response: response)) }
        case .discard(let reason):
            try? await remove([sequence], from: store)
            machine.withLock { $0.remove(sequence, reason) }
        case .retry(let due, let counts):
            if counts, let request {
                let wait = max(.zero, due - stopwatch.elapsed)
                // A count that is lost by a failing disk gives one more try.
                try? await store.note(
                    sequence,
                    retryCount: request.retryCount + 1,
                    notBefore: response?.retryAfter == nil ? nil : date().addingTimeInterval(wait / .seconds(1))
                )
            }
            machine.withLock { $0.release(sequence) }
        }
    }

    /// Removes requests from the file, with those that could not be removed before.
    func remove(_ sequences: [Int64], areDelivered: Bool = false, from store: QueueStore) async throws {
        let all = removed.withLock { removed in
            defer { removed = [] }
            return removed + sequences.map { QueueStore.Removal(sequence: $0, isDelivered: areDelivered) }
        }
        do {
            let dates = keyDates
            try await store.remove(all, at: dates.delivered, forgettingKeysBefore: dates.oldest)
        } catch {
            removed.withLock { $0 += all }
            throw error
        }
    }

    /// When the key of a request that is delivered now counts as delivered, and since when delivered keys are known.
    ///
    /// A clock that is set while the queue runs makes no key too old.
    var keyDates: (delivered: Date, oldest: Date) {
        let age = machine.read { $0.limits.maxAge }
        let (present, steady) = (date(), began.addingTimeInterval(stopwatch.elapsed / .seconds(1)))
        return (max(present, steady), min(present, steady).addingTimeInterval(-(age / .seconds(1))))
    }
}
