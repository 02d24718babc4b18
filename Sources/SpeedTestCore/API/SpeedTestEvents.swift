import Statistics

/// The events of a test that runs for as long as they are read.
struct SpeedTestEvents: AsyncSequence, Sendable {
    typealias Failure = any Error

    let config: SpeedTestConfig

    func makeAsyncIterator() -> AsyncThrowingStream<SpeedTestEvent, any Error>.Iterator {
        let config = config
        let (stream, events) = AsyncThrowingStream<SpeedTestEvent, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(64)
        )
        // Owned by the stream: it ends the task when its reader's task is cancelled or the stream is released.
        let test = Task {
            let report = await SpeedTestCore.run(config, [.download, .upload]) { progress in
                let rate = progress.rate?.megabits
                events.yield(.progress(progress.phase, fraction: progress.fraction, speedMbps: rate))
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

/// An event of a running speed test.
public enum SpeedTestEvent: Sendable, Equatable {
    /// The phase of a test.
    public enum Phase: String, Sendable, CaseIterable {
        /// Connects to the server.
        case connecting
        /// Measures the latency.
        case latency
        /// Measures the download.
        case download
        /// Measures the upload.
        case upload
    }

    /// The part of a phase that is done, from 0 to 1, and the rate of the last second in 10⁶ bits per second, if any.
    case progress(Phase, fraction: Double, speedMbps: Double?)
    /// The result, as the last event.
    case finished(SpeedTestCore.SpeedTestResult)
}
