import Posix
import Testing

@testable import Probing

struct AddressWatchTests {
    private var watch = AddressWatch()

    /// Takes an answer a letter, each of an address of its own.
    ///
    /// - Returns: how many of them completed a change.
    private mutating func take(_ letters: String) throws -> Int {
        try letters.utf8.reduce(0) { count, letter in
            count + (watch.take(try #require(IPAddress(bytes: [198, 18, 0, letter]))) ? 1 : 0)
        }
    }

    @Test mutating func `five answers in a row from another address are a change, four are none`() throws {
        #expect(try take("aaaaaaa") == 0 && !watch.isInDoubt && !watch.isLearning)
        #expect(try take("bbbb") == 0 && watch.isInDoubt)
        #expect(try take("b") == 1 && !watch.isInDoubt)
        #expect(try take("bbbbbbbb") == 0)
        #expect(try take("aaaaa") == 1, "and back")
    }

    @Test mutating func `addresses that answer in turn are no change, however long`() throws {
        #expect(try take("aaaaa") == 0)
        for _ in 0..<1000 { #expect(try take("baabba") == 0) }
        #expect(!watch.isInDoubt, "nothing is looked for anew because of them")
    }

    @Test mutating func `another address that was seen while it was learned is no change`() throws {
        #expect(try take("ababa" + "bbbbbbbbbbbb" + "aaaaaaaaaaaa") == 0)
        #expect(try take("ccccc") == 1)
    }

    @Test mutating func `after a short visit of another address a change takes longer, and after calm it does not`()
        throws
    {
        #expect(try take("aaaaabba" + "bbbbbbbbbb" + "a") == 0)
        #expect(try take(String(repeating: "b", count: 29)) == 0)
        #expect(try take("b") == 1)
        #expect(try take("aab" + String(repeating: "b", count: 21)) == 0)
        #expect(try take("aaaa") == 0 && watch.isInDoubt)
        #expect(try take("a") == 1)
    }

    @Test mutating func `several equal paths on the new way are one change`() throws {
        #expect(try take("aaaaa") == 0)
        #expect(try take("bcbcb") == 1)
        #expect(try take("cbcbcccccbbbbb") == 0)
    }
}
