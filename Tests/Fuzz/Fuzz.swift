import Foundation
import Lab

/// Damages outside input at random and has every parser read it, for a build with the address sanitizer.
///
/// `fuzz [SEED [ROUNDS]]`: the seed is 1 unless given; without rounds each entry takes its own number of them.
@main
enum Fuzz {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard !arguments.contains(nil), arguments.count <= 2 else {
            FileHandle.standardError.write(Data("usage: fuzz [SEED [ROUNDS]]\n".utf8))
            exit(64)
        }
        let seed = arguments.first.flatMap(\.self) ?? 1
        let rounds = arguments.count > 1 ? arguments[1].map { Int(clamping: $0) } : nil
        // In memory: each database waits for the disk several times.
        let folder = "/dev/shm/nhe-fuzz-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }

        let fuzzers =
            try Fuzzer.packets() + Fuzzer.texts + Fuzzer.certificates
            + [try await Fuzzer.databases(in: folder)]
        var (passed, failed) = (0, 0)
        func report(_ name: String, _ body: () async throws -> (Fuzzer, Int)) async {
            let start = ContinuousClock.now
            do {
                let (fuzzer, accepted) = try await body()
                let milliseconds = start.duration(to: .now) / .milliseconds(1)
                print("\(name): \(accepted) of \(rounds ?? fuzzer.rounds) inputs accepted, \(Int(milliseconds)) ms")
                passed += 1
            } catch {
                print("\(name): \(error) (seed \(seed))")
                failed += 1
            }
        }
        for fuzzer in fuzzers {
            await report(fuzzer.name) { (fuzzer, try await fuzzer.run(seed: seed, rounds: rounds ?? fuzzer.rounds)) }
        }
        await report("http") { try await Fuzzer.requests(seed: seed, rounds: rounds) }
        print("\(passed) passed, \(failed) failed")
        if failed > 0 { exit(1) }
    }
}
