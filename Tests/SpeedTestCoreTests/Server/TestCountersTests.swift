import Testing

@testable import SpeedTestCore

struct TestCountersTests {
    private let start = ContinuousClock.now

    @Test func `counts what arrives, and when`() throws {
        var tests = TestCounters()
        #expect(tests.count(of: "a", at: start) == nil)
        tests.begin("a", at: start)
        let announced = try #require(tests.count(of: "a", at: start))
        #expect(announced == .init(bytes: 0, firstByteAt: start, lastByteAt: start))
        tests.add(10, to: "a", at: start + .seconds(1))
        tests.begin("a", at: start + .seconds(2))
        tests.add(5, to: "a", at: start + .seconds(3))
        tests.add(0, to: "a", at: start + .seconds(4))
        tests.add(5, to: "unknown", at: start)
        #expect(
            tests.count(of: "a", at: start + .seconds(5))
                == .init(bytes: 15, firstByteAt: start + .seconds(1), lastByteAt: start + .seconds(3))
        )
        #expect(tests.count(of: "unknown", at: start) == nil)
    }

    @Test func `forgets a test some time after its last byte`() {
        var tests = TestCounters()
        tests.begin("a", at: start)
        tests.add(10, to: "a", at: start + .seconds(100))
        #expect(tests.count(of: "a", at: start + .seconds(699))?.bytes == 10)
        #expect(tests.count(of: "a", at: start + .seconds(700)) == nil)
        tests.begin("a", at: start + .seconds(700))
        #expect(tests.count(of: "a", at: start + .seconds(700))?.bytes == 0)
    }

    @Test func `is bounded: the test without a byte for the longest time is dropped`() {
        var tests = TestCounters()
        for number in 0..<TestCounters.limit { tests.begin("\(number)", at: start + .milliseconds(number)) }
        let now = start + .seconds(10)
        tests.add(1, to: "0", at: now)
        tests.begin("new", at: now)
        #expect(tests.count(of: "1", at: now) == nil)
        #expect(tests.count(of: "0", at: now) != nil && tests.count(of: "2", at: now) != nil)
        #expect(tests.count(of: "new", at: now) != nil)
        tests.begin("newer", at: now + .seconds(600))
        #expect(tests.count(of: "newer", at: now + .seconds(600)) != nil)
    }

    @Test(arguments: [("a", true), ("A-z_0.9", true), ("", false), ("a b", false), ("a/b", false), ("ä", false)])
    func `knows a name`(text: String, isName: Bool) {
        #expect(TestCounters.isName(text) == isName)
        #expect(TestCounters.isName(String(repeating: text, count: 65)) == false)
    }
}
