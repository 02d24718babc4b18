import FoundationEssentials
import Statistics

/// A server's count of an upload, and what the client knew when it arrived.
struct ServerCount: Sendable, Equatable {
    /// `{"bytes","firstByteAt","lastByteAt"}`, in seconds of the server's clock.
    private struct Answer: Decodable {
        var bytes: UInt64
        var lastByteAt: Double?
    }

    /// The bytes that the server has read, in their order.
    let bytes: UInt64
    private let lastByteAt: Double?
    /// When the answer arrived by the client's clock, and the bytes that had arrived beyond holes by then.
    private let beyondHoles: LoadSample

    /// Fails for any other answer.
    ///
    /// - Parameters:
    ///   - json: the answer.
    ///   - beyondHoles: when it arrived, and the bytes that had arrived beyond holes by then.
    ///   - written: the bytes that were sent by then: no more can have arrived.
    init?(_ json: [UInt8], beyondHoles: LoadSample, written: UInt64) {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(json)), answer.bytes <= written else {
            return nil
        }
        (bytes, lastByteAt) = (answer.bytes, answer.lastByteAt)
        self.beyondHoles = beyondHoles
    }

    /// The bytes that arrived between the first and the last of several answers, by the server's clock.
    ///
    /// A lost segment leaves a hole, and the server reads the bytes beyond it when the hole is filled, many at once. They
    /// count when they arrive: a window that begins or ends at a hole would else have bytes that are not its own.
    ///
    /// - Returns: nil where the time between them is too short, or a clock or counter went backwards.
    static func between(_ answers: [ServerCount], atLeast shortest: Duration) -> MeanRate? {
        guard let first = answers.first?.lastByteAt else { return nil }
        let times = answers.compactMap { answer in
            answer.lastByteAt.map { $0 - first }.flatMap { (0...3600).contains($0) ? Duration.seconds($0) : nil }
        }
        guard times.count == answers.count, let last = times.last, last >= max(shortest, .milliseconds(1)),
            let mean = MeanRate(samples(answers, readAt: times)), mean.bytes > 0
        else { return nil }
        return mean
    }

    /// The last byte that was read is older than those beyond a hole, which arrived up to when the answer was sent: by
    /// the server's clock this is its arrival less the shortest time that an answer took.
    private static func samples(_ answers: [ServerCount], readAt times: [Duration]) -> [LoadSample] {
        let shortest = zip(answers, times).map { $0.beyondHoles.time - $1 }.min() ?? .zero
        return zip(answers, times).map { answer, time in
            let waiting = answer.beyondHoles.bytes
            return LoadSample(
                time: waiting > 0 ? answer.beyondHoles.time - shortest : time,
                bytes: answer.bytes.addingSaturated(waiting)
            )
        }
    }
}
