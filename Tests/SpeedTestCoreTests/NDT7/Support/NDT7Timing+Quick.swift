import SpeedTestCore

extension NDT7Timing {
    /// Everything a tenth as long, or less.
    static var quick: Self {
        var timing = Self()
        timing.handshake = .seconds(5)
        timing.silence = .seconds(5)
        timing.warmUp = .milliseconds(100) ... .milliseconds(300)
        timing.bin = .milliseconds(50)
        timing.interval = .milliseconds(100)
        timing.shortestCapped = .milliseconds(20)
        timing.shortestCut = .milliseconds(200)
        timing.sample = .milliseconds(10)
        timing.pause = .milliseconds(1)
        return timing
    }
}
