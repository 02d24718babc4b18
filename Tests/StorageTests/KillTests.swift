import Coordination
import Glibc
import Lab
import Storage
import Testing

@Suite struct KillTests {
    @Test(.timeLimit(.minutes(3)))
    func `a database killed during writes at 100 random instants opens again with every committed row`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file
        let events = Locked(0)
        let (printed, awaited) = try await onThread {
            var random = SplitMix64(state: 20_261_121)
            var printed: Set<Int64> = []
            var awaited = 0
            for round in 0..<100 {
                let writer = try Writer.start(file)
                // Some are killed while they open the file.
                let count = Int.random(in: 0...20, using: &random)
                for _ in 0..<count { printed.insert(try #require(writer.readLine().flatMap { Int64($0) })) }
                awaited += count
                // The kill comes at any instant.
                usleep(UInt32.random(in: 0...15_000, using: &random))
                writer.end()
                try #require(writer.wait() == -SIGKILL)
                while let line = writer.readLine() { printed.insert(try #require(Int64(line))) }

                // After the others, the next writer finds the file as the kill left it.
                guard round % 2 == 1 else { continue }
                let database = try Database(file: file, schema: Writer.schema) { _ in
                    events.withLock { $0 += 1 }
                }
                let numbers = try waiting { try await database.read(Writer.numbers) }
                try waiting { await database.close() }
                try #require(numbers.isSuperset(of: printed), "round \(round)")
            }
            return (printed.count, awaited)
        }
        // How many more there are until a kill is this machine's choice.
        #expect(printed >= awaited && awaited > 900)
        #expect(events.withLock { $0 } == 0)
    }
}
