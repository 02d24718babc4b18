import Testing

@testable import MicroHTTP

struct DeadlinesTests {
    private static let deadlines = Deadlines(headers: .seconds(10), body: .seconds(30), idle: .seconds(60))

    @Test(
        arguments: [
            (.firstHeaders, .seconds(10)),
            (.nextHeaders, .seconds(70)),
            (.body, .seconds(30)),
            (.receiving(.seconds(5)), .seconds(5)),
            (.answering, nil),
            (.held, nil),
            (.sending(.seconds(7)), .seconds(7)),
            (.refused(.seconds(1)), .seconds(1)),
            (.upgraded, nil),
        ] as [(Deadlines.Phase, Duration?)]
    )
    func `gives each phase its time`(phase: Deadlines.Phase, limit: Duration?) {
        let start = ContinuousClock.now
        #expect(Self.deadlines.end(of: phase, since: start) == limit.map { start + $0 })
    }

    @Test(arguments: [
        (Duration.seconds(10), Duration.seconds(1)), (.seconds(1), .milliseconds(100)), (.zero, .milliseconds(20)),
    ])
    func `Checks often enough for the shortest`(headers: Duration, interval: Duration) {
        #expect(Deadlines(headers: headers, body: .seconds(30), idle: .zero).interval == interval)
    }
}
