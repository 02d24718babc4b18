import Testing

@testable import SpeedTestCore

struct NDT7FarewellTests {
    private let start = ContinuousClock.now

    private func state(_ isClosed: Bool, _ isAnswered: Bool, moved: UInt64 = 0) -> NDT7Farewell.State {
        .init(isClosed: isClosed, isAnswered: isAnswered, moved: moved)
    }

    private func make(
        after end: NDT7Tally.End? = .stable,
        wall: Duration = .seconds(10),
        byteLimit: UInt64? = nil
    ) -> NDT7Farewell? {
        NDT7Farewell(after: end, at: start, wall: start + wall, byteLimit: byteLimit)
    }

    @Test func `it lasts until both sides have sent a Close`() throws {
        let farewell = try #require(make())
        #expect(farewell.remaining(state(false, false), at: start) == .seconds(3))
        #expect(farewell.remaining(state(true, false), at: start + .seconds(1)) == .seconds(2))
        #expect(farewell.remaining(state(false, true), at: start + .seconds(1)) == .seconds(2))
        #expect(farewell.remaining(state(true, true), at: start) == nil)
    }

    @Test func `it ends at its time limit, and at that of the direction`() throws {
        #expect(try #require(make()).remaining(state(true, false), at: start + .seconds(3)) == nil)
        let short = try #require(make(wall: .seconds(1)))
        #expect(short.remaining(state(true, false), at: start) == .seconds(1))
        #expect(short.remaining(state(true, false), at: start + .seconds(1)) == nil)
    }

    @Test func `it ends at the byte limit of a download`() throws {
        let farewell = try #require(make(after: .byteLimit, byteLimit: 1000))
        #expect(farewell.remaining(state(true, false, moved: 999), at: start) != nil)
        #expect(farewell.remaining(state(true, false, moved: 1000), at: start) == nil)
        #expect(make(byteLimit: .max)?.remaining(state(true, false), at: start) != nil)
    }

    @Test(arguments: [nil, .wall, .broken("an invalid frame")] as [NDT7Tally.End?])
    func `after a failure the connection is closed at once`(end: NDT7Tally.End?) {
        #expect(make(after: end) == nil)
    }
}
