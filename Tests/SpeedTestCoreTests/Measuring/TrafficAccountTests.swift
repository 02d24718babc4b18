import Posix
import Statistics
import Testing

@testable import SpeedTestCore

struct TrafficAccountTests {
    @Test func `an account adds what is received and transmitted`() {
        let account = TrafficAccount()
        account.add(CarriedBytes(received: 3, sent: 0))
        account.add(CarriedBytes(received: 4, sent: 5))
        #expect(account.bytes == ByteCounts(received: 7, transmitted: 5))
    }

    @Test func `beside a load its own direction counts, by all that it may have carried`() {
        let account = TrafficAccount()
        var carried = CarriedBytes()
        carried.received = CarriedBytes.Bounds(least: 250, most: 300)
        carried.sent = CarriedBytes.Bounds(least: 10, most: 20)
        account.add(carried)
        #expect(HostCounters.Traffic(.download, of: account) == HostCounters.Traffic(own: 300))
        #expect(HostCounters.Traffic(.upload, of: account) == HostCounters.Traffic(own: 20))
        let (received, sent) = (DeviceCount.Way(bytes: 7, packets: 1), DeviceCount.Way(bytes: 5, packets: 2))
        let count = DeviceCount(received: received, sent: sent)
        #expect(count[.download] == received && count[.upload] == sent)
    }

    @Test(arguments: [(nil, 120), (90, 100), (100, 100), (110, 110), (694, 120)] as [(UInt64?, UInt64)])
    func `the device decides between what is certain and what is possible`(device: UInt64?, counted: UInt64) {
        #expect(CarriedBytes.Bounds(least: 100, most: 120).nearest(to: device) == counted)
    }

    @Test func `of all devices the counters are read, whatever their names`() {
        let text = """
            Inter-|   Receive                                                |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
                lo: 1000     10    0    0    0     0          0         0     1000      10    0    0    0     0       0          0
              eth0:123456789012345 99 0 0 0 0 0 7 5 6 0 0 0 0 0 0
            eth0:1: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0
              bad0: 1 2 3
            """
        let counts = DeviceCount.parse(text)
        #expect(counts.keys.sorted() == ["eth0", "eth0:1", "lo"])
        #expect(counts["eth0"]?.received == DeviceCount.Way(bytes: 123_456_789_012_345, packets: 99))
        #expect(counts["eth0"]?.sent == DeviceCount.Way(bytes: 5, packets: 6))
    }

    @Test func `headers below IP do not count, and a device made anew is none`() throws {
        func count(_ bytes: UInt64, _ packets: UInt64) -> DeviceCount {
            let way = DeviceCount.Way(bytes: bytes, packets: packets)
            return DeviceCount(received: way, sent: way)
        }
        let growth = try #require(count(16_140, 20).since(count(1000, 10), linkHeader: 14))
        #expect(growth.received == DeviceCount.Way(bytes: 15_000, packets: 10))
        #expect(count(900, 20).since(count(1000, 10), linkHeader: 14) == nil)
    }

    @Test func `the age of a device's counters is that of the longest time for which they missed our bytes`() {
        var refresh = DeviceRefresh()
        let start = ContinuousClock.now
        for tick in 0..<40 {
            var count = DeviceCount()
            // Once a second; our bytes come before and after a pause of two seconds.
            count.received.bytes = UInt64(tick / 10) * 1_000_000
            let own = UInt64(tick < 20 ? tick : 20) * 100_000
            refresh.note(count, own: own, at: start + .milliseconds(tick * 100))
        }
        #expect(refresh.longest == .milliseconds(900))
        var quick = DeviceRefresh()
        for tick in 0..<40 {
            var count = DeviceCount()
            count.received.bytes = UInt64(tick) * 100_000
            quick.note(count, own: UInt64(tick) * 100_000, at: start + .milliseconds(tick * 100))
        }
        #expect(quick.longest == .zero)
    }
}
