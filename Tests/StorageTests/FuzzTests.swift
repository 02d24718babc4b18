import Lab
import Storage
import Testing

@Suite struct FuzzTests {
    @Test(.timeLimit(.minutes(2))) func `300 damaged files are opened, refused or moved aside`() async throws {
        var random = SplitMix64(state: 20_261_121)
        let folder = try TemporaryFolder()
        try await Database.make(folder.file, items: 60)
        let whole = try folder.bytes()
        var (asides, readable) = (0, 0)
        for round in 0..<300 {
            let file = try TemporaryFolder()
            try file.write(Self.damaged(whole, using: &random))
            // As after an orderly end, when less is looked at, or after a kill.
            try file.write((round % 2 == 0 ? "closed 1\n" : "open 1\n").utf8, "test.db.lock")
            do {
                let database = try Database(file: file.file, migrations: [items])
                if let numbers = try? await database.numbers(), numbers.count == 60 { readable += 1 }
                _ = try? await database.add(1_000_000)
                await database.close()
            } catch {
                // Refused at the opening; the compiler knows by what kind of error.
            }
            if file.names.contains(where: { $0.contains(".corrupt-") }) { asides += 1 }
        }
        // Both must occur, or the damage tests nothing.
        #expect(asides > 100)
        #expect(readable > 5)
    }

    private static func damaged(_ whole: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        var bytes = whole
        let place = Int.random(in: 0..<whole.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return noise(Int.random(in: 1...20_000, using: &random))
        case 1: return Array(whole[..<100]) + noise(Int.random(in: 0...20_000, using: &random))
        case 2: return Array(whole[..<place])
        case 3: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4: bytes[Int.random(in: 0..<100, using: &random)] = UInt8.random(in: 0...255, using: &random)
        default:
            let page = place / 4096 * 4096
            bytes.replaceSubrange(page..<(page + 4096), with: noise(4096))
        }
        return bytes
    }
}
