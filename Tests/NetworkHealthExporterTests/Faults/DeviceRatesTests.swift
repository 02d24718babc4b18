import NetworkHealth
import NetworkPath
import Testing

@testable import NetworkHealthExporter

struct DeviceRatesTests {
    private func counters(_ received: UInt64, _ sent: UInt64) -> DeviceCounters {
        var counters = DeviceCounters()
        (counters.receivedBytes, counters.transmittedBytes) = (received, sent)
        return counters
    }

    private func uplink(_ device: String) -> Uplink? {
        var path = Path(status: .satisfied)
        path.interface = Interface(name: device, index: 2, type: .wiredEthernet)
        return Uplink(path)
    }

    @Test func `the rates of ten seconds stay until the next are known, and end with the uplink`() {
        var rates = DeviceRates()
        func known() -> [Double?] { [rates.received, rates.sent] }
        rates.add(counters(0, 0), on: uplink("eth0"), at: .zero)
        #expect(known() == [nil, nil])
        rates.add(counters(2_500_000, 125_000), on: uplink("eth0"), at: .seconds(10))
        #expect(known() == [2e6, 1e5])
        rates.add(counters(9_000_000, 900_000), on: uplink("eth0"), at: .seconds(15))
        #expect(known() == [2e6, 1e5])
        rates.add(counters(0, 0), on: uplink("eth1"), at: .seconds(16))
        #expect(known() == [nil, nil])
        rates.add(counters(1_250_000, 0), on: uplink("eth1"), at: .seconds(26))
        #expect(known() == [1e6, 0])
        rates.add(nil, on: uplink("eth1"), at: .seconds(27))
        #expect(known() == [nil, nil])
    }
}
