/// How long the machine has slept since it started: the clock that counts suspend minus the one that does not.
enum SuspendTime {
    static var now: Duration {
        let all = ContinuousClock().systemEpoch.duration(to: .now)
        let awake = SuspendingClock().systemEpoch.duration(to: .now)
        return all - awake
    }
}
