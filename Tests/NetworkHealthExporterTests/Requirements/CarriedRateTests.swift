import NetworkHealth
import Testing

@testable import NetworkHealthExporter

struct CarriedRateTests {
    private let home = Uplink(name: "eth0 192.0.2.1")
    private let other = Uplink(name: "wlan0 192.0.2.1")

    @Test func `is the mean of ten seconds, and then of the next`() {
        var rate = CarriedRate()
        #expect(rate.add(1000, on: home, at: .seconds(0)) == nil)
        #expect(rate.add(2000, on: home, at: .seconds(5)) == nil)
        #expect(rate.add(11_000, on: home, at: .seconds(10)) == 8000)
        #expect(rate.add(12_000, on: home, at: .seconds(15)) == nil)
        #expect(rate.add(10_000, on: home, at: .seconds(20)) == nil, "it counts anew")
        #expect(rate.add(30_000, on: home, at: .seconds(30)) == 16_000)
    }

    @Test func `begins anew on another uplink, and without one`() {
        var rate = CarriedRate()
        _ = rate.add(0, on: home, at: .zero)
        #expect(rate.add(1_000_000, on: other, at: .seconds(10)) == nil)
        #expect(rate.add(nil, on: other, at: .seconds(20)) == nil)
        #expect(rate.add(2_000_000, on: other, at: .seconds(30)) == nil)
        #expect(rate.add(2_000_000, on: nil, at: .seconds(40)) == nil)
    }
}
