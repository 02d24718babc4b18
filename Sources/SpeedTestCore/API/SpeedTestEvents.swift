import Statistics

/// The events of a test that runs for as long as somebody asks for them.
struct SpeedTestEvents: AsyncSequence, Sendable {
    typealias Failure = any Error

    let config: SpeedTestConfig

    func makeAsyncIterator() -> AsyncThrowingStream<SpeedTestEvent, any Error>.Iterator {
        let config = config
        let (stream, events) = AsyncThrowingStream<SpeedTestEvent, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(64)
        )
        // Owned by the stream: it ends the task when its reader's task is cancelled, or lets go of it.
        let test = Task {
            let report = await SpeedTestCore.run(config, [.download, .upload]) { progress in
                events.yield(SpeedTestEvent(progress))
            }
            do throws(NetworkError) {
                events.yield(.finished(try report.result()))
                events.finish()
            } catch {
                events.finish(throwing: error)
            }
        }
        events.onTermination = { _ in test.cancel() }
        return stream.makeAsyncIterator()
    }
}

extension SpeedTestEvent {
    fileprivate init(_ progress: SpeedTestProgress) {
        let phase: Phase =
            switch progress.phase {
            case .connecting: .connecting
            case .latency: .latency
            case .download: .download
            case .upload: .upload
            }
        self = .progress(phase, fraction: progress.fraction, speedMbps: progress.rate?.megabits)
    }
}

/// What a running speed test tells.
public enum SpeedTestEvent: Sendable, Equatable {
    /// What a test does at a moment.
    public enum Phase: String, Sendable, CaseIterable {
        /// It looks for the server.
        case connecting
        /// It measures the latency.
        case latency
        /// It loads the way here.
        case download
        /// It loads the way there.
        case upload
    }

    /// How much of a phase is done, from 0 to 1, and the rate of the last second in 10⁶ bits a second where there is one.
    case progress(Phase, fraction: Double, speedMbps: Double?)
    /// The last event.
    case finished(SpeedTestCore.SpeedTestResult)
}
