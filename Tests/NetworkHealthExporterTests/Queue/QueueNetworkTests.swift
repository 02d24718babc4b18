import NetworkHealth
import NetworkPath
import Testing

@testable import NetworkHealthExporter

@Suite struct QueueNetworkTests {
    @Test func `the queue sends on a path, and again at once where the internet is back on the same path`() {
        var network = QueueNetwork()
        #expect(network.take(isConnected: true, isOnline: nil) == [true])
        #expect(network.take(isConnected: true, isOnline: true) == [false, true])
        #expect(network.take(isConnected: true, isOnline: true) == [true])
        // A receiver in the local network is reached during the outage of the internet.
        #expect(network.take(isConnected: true, isOnline: false) == [true])
        #expect(network.take(isConnected: true, isOnline: true) == [false, true])
        #expect(network.take(isConnected: false, isOnline: false) == [false])
        #expect(network.take(isConnected: true, isOnline: true) == [false, true])
    }

    @Test(.timeLimit(.minutes(3))) func `each state becomes its values, in order`() async {
        let states = AsyncStream<HealthState> { states in
            for state in [HealthState.online(), .offline(.linkDown), .online()] { states.yield(state) }
            states.finish()
        }
        var values: [Bool] = []
        for await value in QueueNetwork.values(of: states) { values.append(value) }
        #expect(values == [false, true, false, false, true])
    }
}
