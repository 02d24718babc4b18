import MicroHTTP
import SpeedTestCore

/// What is known of an upload that has come; its bytes were thrown away.
struct UploadedBody: Sendable, Equatable {
    var bytes: UInt64
    /// The file of a multipart body; nil for any other.
    var filename: String?
    /// The file's size, or that of the whole body.
    var size: UInt64
    /// From the last byte to the answer.
    var handling: Duration
}

/// Counts the bytes of an upload as they come.
final class UploadSink: BodySink {
    let deadline: Duration
    private let transfer: ServerTransfer
    private var head: MultipartHead?
    private var bytes: UInt64 = 0
    private let refuse: (ServerRefusal) -> Response
    private let answer: (UploadedBody) -> Response

    init(
        _ transfer: ServerTransfer,
        deadline: Duration,
        head: MultipartHead?,
        refuse: @escaping (ServerRefusal) -> Response,
        answer: @escaping (UploadedBody) -> Response
    ) {
        (self.transfer, self.deadline, self.head, self.refuse, self.answer) = (transfer, deadline, head, refuse, answer)
    }

    func receive(_ piece: RawSpan) -> Response? {
        bytes += UInt64(piece.byteCount)
        head?.take(piece)
        return transfer.receive(piece.byteCount).map(refuse)
    }

    func finish() -> Response {
        let came = ContinuousClock.now
        transfer.end()
        return answer(
            UploadedBody(
                bytes: bytes,
                filename: head?.filename,
                size: head?.fileSize(ofBody: bytes) ?? bytes,
                handling: came.duration(to: .now)
            )
        )
    }

    func abort() { transfer.end(isCut: true) }
}
