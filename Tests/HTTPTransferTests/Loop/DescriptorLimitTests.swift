import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

/// What happens when the process has no descriptors to spare; in a process of its own.
@Suite(.timeLimit(.minutes(3)))
struct DescriptorLimitTests {
    @Test func `A transfer that would take from the reserve fails as local, and leaves nothing open`() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer { connection in
                _ = connection.readHead()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            }
            let loop = try TransferLoop(name: "limit", userAgent: "test")
            var request = TransferRequest(url: "http://127.0.0.1:\(server.port)/")
            request.usesFreshConnection = true
            try limitDescriptors(to: 256)
            let start = DescriptorReserve().start
            var open: [Int32] = []
            // The runtime opens a file for a moment now and then: where it leaves a number below, there is room once more.
            var failure: TransferError?
            repeat {
                open += fillDescriptors(below: start)
                do throws(TransferError) { _ = try await loop.perform(request) } catch { failure = error }
            } while failure == nil
            #expect(failure?.reason == .local, "\(failure.map { "\($0)" } ?? "")")
            // Each socket was closed: more of them than there are numbers leave room.
            for _ in 0..<300 { _ = try? await loop.perform(request) }
            open.append(dup(0))
            #expect(open.last.map { $0 >= 0 } == true)
            for number in open { close(number) }
            #expect(try await loop.perform(request).status == 200)
            loop.stop()
        }
    }
}
