import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

/// What happens when the process has no descriptors to spare; in a process of its own.
@Suite(.timeLimit(.minutes(1)))
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
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limits = rlimit()
            #expect(getrlimit(resource, &limits) == 0)
            limits.rlim_cur = 256
            #expect(setrlimit(resource, &limits) == 0)
            let open = fillDescriptors(below: DescriptorReserve().start)

            let error = await #expect(throws: TransferError.self) { try await loop.perform(request) }

            #expect(error?.reason == .local, "\(error.map { "\($0)" } ?? "")")
            // The socket was closed.
            let next = fillDescriptors(below: DescriptorReserve().start + 1)
            #expect(next == [DescriptorReserve().start])
            for number in next { close(number) }
            for number in open { close(number) }
            #expect(try await loop.perform(request).status == 200)
            loop.stop()
        }
    }
}
