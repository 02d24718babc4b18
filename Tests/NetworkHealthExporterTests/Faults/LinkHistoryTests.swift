import Netlink
import NetworkHealth
import NetworkPath
import Statistics
import Testing

@testable import NetworkHealthExporter

struct LinkHistoryTests {
    private var history = LinkHistory()
    private let start = ContinuousClock.now

    private func counters(
        changes: UInt64 = 0,
        frames: UInt64 = 0,
        errors: UInt64 = 0,
        _ station: WirelessStation? = nil
    ) -> DeviceCounters {
        var counters = DeviceCounters()
        (counters.carrierChanges, counters.receivedFrames, counters.receiveErrors) = (changes, frames, errors)
        counters.station = station
        return counters
    }

    private func station(_ frames: UInt32, _ retries: UInt32) -> WirelessStation {
        var station = WirelessStation()
        (station.signal, station.transmittedFrames, station.retries) = (-70, frames, retries)
        return station
    }

    private mutating func add(_ counters: DeviceCounters?, of device: String = "eth0", at seconds: Int) -> LinkFacts {
        history.add(device, counters, at: start + .seconds(seconds))
    }

    @Test mutating func `carrier changes count for ten minutes`() {
        #expect(add(counters(changes: 8), at: 0).carrierChanges == 0)
        #expect(add(counters(changes: 10), at: 1).carrierChanges == 2)
        for second in stride(from: 10, through: 590, by: 10) { _ = add(counters(changes: 11), at: second) }
        #expect(add(counters(changes: 12), at: 600).carrierChanges == 4)
        #expect(add(counters(changes: 12), at: 609).carrierChanges == 4)
        #expect(add(counters(changes: 12), at: 611).carrierChanges == 1, "since the second 10")
    }

    @Test mutating func `errors are a share of all frames, once these are a thousand`() {
        #expect(add(counters(frames: 5000, errors: 50), at: 0).errorRatio == nil)
        #expect(add(counters(frames: 5989, errors: 60), at: 10).errorRatio == nil)
        #expect(add(counters(frames: 5990, errors: 60), at: 20).errorRatio == 0.01)
    }

    @Test mutating func `a driver that counts less than no errors leaves a share`() {
        #expect(add(counters(frames: 5000, errors: 0), at: 0).errorRatio == nil)
        #expect(add(counters(frames: 6000, errors: .max), at: 10).errorRatio == 1)
        #expect(add(counters(frames: .max, errors: .max), at: 20).errorRatio.map { ($0 * 1000).rounded() } == 500)
        #expect(add(counters(frames: 1, errors: 0), at: 30).errorRatio == nil)
    }

    @Test mutating func `retries are a share of what was sent in the last minute`() {
        #expect(add(counters(station(1000, 100)), at: 0).retryRatio == nil)
        #expect(add(counters(station(1099, 400)), at: 10).retryRatio == nil, "few frames")
        #expect(add(counters(station(1100, 500)), at: 20).retryRatio == 0.8)
        for second in stride(from: 30, through: 80, by: 10) { _ = add(counters(station(1100, 500)), at: second) }
        #expect(add(counters(station(1300, 600)), at: 90).retryRatio.map { ($0 * 1000).rounded() } == 333)
        // Another access point.
        #expect(add(counters(station(500, 10)), at: 100).retryRatio == nil)
        #expect(add(counters(station(500, 10)), at: 100).signal == -70)
    }

    @Test mutating func `what was counted while the machine slept is not of the last ten minutes`() {
        _ = add(counters(changes: 1), at: 0)
        #expect(add(counters(changes: 5), at: 3600).carrierChanges == 0)
        #expect(add(counters(changes: 6), at: 3605).carrierChanges == 1)
    }

    @Test mutating func `another device, a new one of that name and an unknown one begin anew`() {
        _ = add(counters(changes: 1, frames: 1), at: 0)
        #expect(add(counters(changes: 9, frames: 9), of: "eth1", at: 10).carrierChanges == 0)
        #expect(add(counters(changes: 10, frames: 9), of: "eth1", at: 20).carrierChanges == 1)
        #expect(add(counters(changes: 2, frames: 0), of: "eth1", at: 30).carrierChanges == 0)
        let unknown = add(nil, of: "eth1", at: 40)
        #expect(unknown.carrierChanges == nil && unknown.speed == nil && unknown.errorRatio == nil)
        #expect(add(DeviceCounters(), of: "eth1", at: 50).carrierChanges == nil)
    }

    @Test mutating func `the speeds of the port are those of now`() {
        var port = counters()
        (port.linkSpeed, port.maxLinkSpeed) = (100_000_000, 1_000_000_000)
        #expect(add(port, at: 0).speed == 100_000_000 && add(port, at: 1).maxSpeed == 1_000_000_000)
        port.maxLinkSpeed = nil
        #expect(add(port, at: 2).maxSpeed == nil)
    }
}
