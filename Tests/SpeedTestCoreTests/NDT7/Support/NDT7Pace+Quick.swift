import SpeedTestCore

extension NDT7Pace {
    /// Everything a tenth as long, or less.
    static var quick: Self {
        var pace = Self()
        pace.handshake = .seconds(5)
        pace.silence = .seconds(5)
        pace.warmUp = .milliseconds(100) ... .milliseconds(300)
        pace.bin = .milliseconds(50)
        pace.interval = .milliseconds(100)
        pace.shortestCapped = .milliseconds(20)
        pace.shortestCut = .milliseconds(200)
        pace.sample = .milliseconds(10)
        pace.pause = .milliseconds(1)
        return pace
    }
}
