import Testing

@testable import MicroHTTP

struct LoginQueueTests {
    private var queue = LoginQueue<String>()

    private mutating func all() -> [String] {
        var jobs: [String] = []
        while let job = queue.next() { jobs.append(job) }
        return jobs
    }

    @Test mutating func `clients take turns, so that one with many passwords delays another by one`() {
        for number in 1...4 { queue.add("flood \(number)", from: "192.0.2.1") }
        queue.add("scraper", from: "192.0.2.2")
        #expect(queue.count == 5)
        #expect(all() == ["flood 1", "scraper", "flood 2", "flood 3", "flood 4"])
        #expect(queue.count == 0 && queue.next() == nil)
    }

    @Test mutating func `a client that has authenticated goes before 50 others, and does not keep them waiting`() {
        for number in 1...50 { queue.add("flood \(number)", from: "192.0.2.\(number)") }
        queue.noteSuccess(of: "198.51.100.1")
        for number in 1...3 { queue.add("scraper \(number)", from: "198.51.100.1") }
        #expect(all().prefix(6) == ["scraper 1", "flood 1", "scraper 2", "flood 2", "scraper 3", "flood 3"])
    }

    @Test mutating func `64 clients that have authenticated are remembered, the latest ones`() {
        for number in 0...LoginQueue<String>.knownLimit { queue.noteSuccess(of: "192.0.2.\(number)") }
        queue.add("first", from: "192.0.2.0")
        queue.add("second", from: "192.0.2.1")
        #expect(all() == ["second", "first"])
    }

    @Test mutating func `those that are not wanted leave their places`() {
        for number in 1...4 { queue.add("flood \(number)", from: "192.0.2.1") }
        queue.add("scraper", from: "192.0.2.2")
        queue.removeAll { $0.hasPrefix("flood") }
        #expect(queue.count == 1)
        #expect(all() == ["scraper"])
    }
}
