import Testing

@testable import Probing

struct EchoTimesTests {
    private let start = ContinuousClock.now
    private let wall = Duration.seconds(1_700_000_000)

    private func roundTrip(departure: Duration?, arrival: Duration?, readAfter: Duration) -> Duration {
        EchoTimes(sentAt: start, sentWallTime: wall, departure: departure.map { wall + $0 })
            .roundTrip(arrival: arrival.map { wall + $0 }, readAt: start + readAfter)
    }

    @Test func `The timestamps of the kernel decide, however late the reply is read`() {
        let time = roundTrip(departure: .microseconds(40), arrival: .microseconds(240), readAfter: .milliseconds(30))
        #expect(time == .microseconds(200))
    }

    @Test func `Without a departure, the time before the call is used`() {
        let time = roundTrip(departure: nil, arrival: .microseconds(240), readAfter: .milliseconds(30))
        #expect(time == .microseconds(240))
    }

    @Test func `Without an arrival, our clock decides`() {
        let time = roundTrip(departure: .microseconds(40), arrival: nil, readAfter: .milliseconds(3))
        #expect(time == .milliseconds(3))
    }

    @Test func `A departure before the request was made is that of another request`() {
        let time = roundTrip(departure: .microseconds(-1), arrival: .microseconds(240), readAfter: .milliseconds(3))
        #expect(time == .microseconds(240))
    }

    @Test func `A clock set back between the timestamps is ignored`() {
        let time = roundTrip(departure: .microseconds(40), arrival: .seconds(-3600), readAfter: .milliseconds(3))
        #expect(time == .milliseconds(3))
    }

    @Test func `A clock set forward between the timestamps is ignored`() {
        let time = roundTrip(departure: .microseconds(40), arrival: .seconds(3600), readAfter: .milliseconds(3))
        #expect(time == .milliseconds(3))
    }

    @Test func `A departure after the arrival is ignored`() {
        let time = roundTrip(departure: .microseconds(300), arrival: .microseconds(240), readAfter: .milliseconds(3))
        #expect(time == .microseconds(240))
    }

    @Test func `no round trip is negative`() {
        #expect(roundTrip(departure: nil, arrival: nil, readAfter: .seconds(-1)) == .zero)
    }
}
