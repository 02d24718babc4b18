import Coordination
import Foundation
import Glibc
import Lab
import Testing

@Suite struct QueueKillTests {
    /// The numbers that a server has received, in order.
    private func server(_ received: Locked<[Int]>) throws -> RawServer {
        try RawServer { connection in
            while true {
                let head = connection.readHead()
                guard head.hasSuffix("\r\n\r\n") else { return }
                let length = head.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
                guard let body = connection.readText(length), let number = Int(body) else { return }
                received.withLock { $0.append(number) }
                guard connection.send("HTTP/1.1 204 No Content\r\n\r\n") else { return }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `a queue killed at 25 random instants delivers every accepted request at least once and in order`()
        async throws
    {
        let folder = try TemporaryFolder()
        let received = Locked<[Int]>([])
        let server = try server(received)
        defer { server.close() }
        let (file, url) = (folder.file, server.url)
        let (accepted, kills) = try await onThread {
            var random = SplitMix64(state: 20_261_122)
            var accepted: [Int] = []
            for round in 0..<25 {
                let child = try Program([QueueWriter.path, file, url, "\(round * 1000)", "1000"])
                for _ in 0..<Int.random(in: 0...40, using: &random) {
                    accepted.append(try #require(child.readLine().flatMap { Int($0) }))
                }
                // The kill comes at any instant.
                usleep(UInt32.random(in: 0...20_000, using: &random))
                child.end()
                try #require(child.wait() == -SIGKILL)
                while let line = child.readLine() { accepted.append(try #require(Int(line))) }
            }
            let last = try Program([QueueWriter.path, file, url, "0", "0"])
            try #require(last.readLine() == "empty")
            try #require(last.wait() == 0)
            return (accepted, 25)
        }
        let numbers = received.withLock { $0 }
        #expect(accepted.count > 100)
        #expect(Set(accepted).subtracting(numbers).isEmpty)
        for key in 0...1 {
            // A request whose delivery was not noted before a kill comes again: its first arrival counts.
            var known: Set<Int> = []
            let order = numbers.filter { $0 % 2 == key && known.insert($0).inserted }
            #expect(order == order.sorted())
        }
        // A kill leaves at most one request of each key in doubt.
        #expect(numbers.count - Set(numbers).count <= 2 * kills)
    }
}

extension RawConnection {
    /// Reads so many bytes as text; nil where the other side has gone before.
    fileprivate func readText(_ count: Int) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < count {
            guard recv(socket, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
