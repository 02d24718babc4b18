import CMemory
import Lab
import Testing

@Suite struct MemoryTests {
    @Test func `pages of files are unmapped, and read again when they are used`() throws {
        let before = try ResidentMemory()
        nhe_give_back_memory()
        let after = try ResidentMemory()
        #expect(after.files < before.files * 3 / 4, "\(before) → \(after)")
    }
}
