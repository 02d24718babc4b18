import HTTPTransfer
import Posix

/// An ndt7 client's open WebSocket, for the thread that opened it.
struct NDT7Connection: ~Copyable {
    let bytes: ByteConnection
    /// What came with the end of the handshake.
    let rest: [UInt8]

    /// Connects and shakes hands; blocks, until `signal` is stopped at the longest.
    init(_ opening: NDT7Opening, until signal: LoopSignal, account: TrafficAccount) throws(SpeedTestFailure) {
        let deadline = ContinuousClock.now + opening.timeout
        let bytes: ByteConnection
        do throws(TransferError) {
            bytes = try ByteConnection(opening.request, until: signal)
        } catch {
            throw SpeedTestFailure(connection: error)
        }
        let handshake = NDT7Handshake(opening: opening, deadline: deadline, signal: signal)
        do throws(SpeedTestFailure) {
            rest = try handshake.run(on: bytes)
        } catch {
            var traffic = NDT7Traffic(account)
            traffic.update(from: bytes.socket)
            throw error
        }
        self.bytes = bytes
    }
}
