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
        self = .progress(phase, fraction: progress.fraction, speedMbps: progress.bytesPerSecond.map { $0 * 8 / 1e6 })
    }
}
