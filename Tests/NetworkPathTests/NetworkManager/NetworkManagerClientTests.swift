import Foundation
import Lab
import Testing

@testable import NetworkPath

@Suite(.timeLimit(.minutes(3)))
struct NetworkManagerClientTests {
    let mock: MockNetworkManager
    let loop: NetworkManagerLoop

    init() throws {
        mock = try MockNetworkManager()
        loop = NetworkManagerLoop(mock.address)
    }

    @Test(arguments: ["", "unix:path=/nonexistent/bus", "nonsense"])
    func `a host without a bus is settled at once and has no facts`(address: String) {
        let client = NetworkManagerClient(busAddress: address)
        let now = SuspendingClock.now
        #expect(client.deadline.map { $0 < now } == true)
        #expect(client.process(now: now) == [])
        #expect(client.isSettled && client.facts == nil && !client.isUp && client.pollRequest == nil)
    }

    @Test func `an absent bus is tried again after 1 second, doubling up to 30`() {
        let client = NetworkManagerClient(busAddress: "unix:path=/nonexistent/bus")
        var now = SuspendingClock.now
        var waits: [Duration] = []
        for _ in 0..<7 {
            _ = client.process(now: now)
            let next = client.deadline ?? now
            waits.append(next - now)
            _ = client.process(now: next - .nanoseconds(1))
            #expect(client.deadline == next, "too early counts as an attempt")
            now = next
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30].map(Duration.seconds))
    }

    @Test func `a bus that was reached starts the waits anew when it goes`() throws {
        var ahead = Duration.zero
        for _ in 0..<4 {
            _ = loop.client.process(now: SuspendingClock.now + ahead)
            ahead += .seconds(30)
        }
        try mock.startBus()
        // No deadline is left once every question is answered.
        try #require(loop.run(ahead: ahead) { $0.deadline == nil })
        mock.stopBus()
        try #require(loop.run(ahead: ahead) { $0.pollRequest == nil })
        let next = try #require(loop.client.deadline)
        #expect(next - (SuspendingClock.now + ahead) <= .seconds(1))
    }

    @Test func `a bus without NetworkManager is settled and has no facts`() throws {
        try mock.startBus()
        #expect(loop.run { $0.isSettled })
        #expect(loop.client.facts == nil && loop.client.pollRequest != nil)
        #expect(loop.changes == [])
    }

    @Test func `without an address the environment names the system bus`() async throws {
        try mock.startBus()
        await #expect(processExitsWith: .success) { [address = mock.address as String] in
            setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1)
            let loop = NetworkManagerLoop(nil)
            try #require(loop.run { $0.isSettled })
            try #require(loop.client.pollRequest != nil)
        }
    }

    @Test func `each device's metered is read`() throws {
        try mock.start()
        for metered in 1...4 { try mock.addDevice("eth\(metered)", properties: [["Metered", "u", "\(metered)"]]) }
        try mock.addDevice("eth0")
        #expect(loop.run { $0.isSettled })
        let facts = try #require(loop.client.facts)
        #expect(facts.state == 70 && facts.isNetworkingEnabled)
        #expect(
            facts.devices.mapValues(\.metered)
                == ["eth0": .unknown, "eth1": .yes, "eth2": .no, "eth3": .guessYes, "eth4": .guessNo]
        )
        #expect(facts.devices.values.allSatisfy { $0.type == 1 && $0.state == 100 })
        #expect(loop.changes == [.facts, .metered])
    }

    @Test func `a change of metered arrives as an event`() throws {
        try mock.start()
        try mock.addDevice("eth0", properties: [["Metered", "u", "2"]])
        try #require(loop.run { $0.facts?.devices["eth0"]?.metered == .no })
        loop.changes = []
        try mock.changeDevice("eth0", ["Metered", "u", "1"])
        #expect(loop.run { $0.facts?.devices["eth0"]?.metered == .yes })
        #expect(loop.changes == [.facts, .metered])
    }

    @Test func `the manager's changes arrive, and do not count as metered`() throws {
        try mock.start()
        try #require(loop.run { $0.isUp })
        loop.changes = []
        try mock.changeManager(["State", "u", "20"], ["NetworkingEnabled", "b", "false"])
        #expect(loop.run { $0.facts?.state == 20 && $0.facts?.isNetworkingEnabled == false })
        #expect(loop.changes == .facts)
    }

    @Test func `a device that appears is read, and one that goes is dropped`() throws {
        try mock.start()
        try #require(loop.run { $0.facts?.devices.isEmpty == true })
        try mock.addDevice("eth0")
        #expect(loop.run { $0.facts?.devices["eth0"] != nil })
        try mock.changeManager(["Devices", "ao", "0"])
        #expect(loop.run { $0.facts?.devices.isEmpty == true })
    }

    @Test func `NetworkManager's death drops its facts, and its return brings them back`() throws {
        try mock.start()
        try mock.addDevice("eth0", properties: [["Metered", "u", "1"]])
        try #require(loop.run { $0.facts?.devices["eth0"] != nil })
        mock.stopDaemon()
        #expect(loop.run { !$0.isUp })
        #expect(loop.client.pollRequest != nil, "the bus is still there")
        #expect(!loop.client.isSettled, "it may be restarting")
        #expect(loop.run(ahead: NetworkManagerSession.answerLimit) { $0.isSettled })
        try mock.startDaemon()
        #expect(loop.run { $0.facts?.state == 70 && $0.facts?.devices.isEmpty == true })
        #expect(loop.client.isSettled)
    }

    @Test func `the bus's death drops the facts, and its return brings them back`() throws {
        try mock.start()
        try #require(loop.run { $0.isUp })
        mock.stopBus()
        #expect(loop.run { !$0.isUp })
        #expect(loop.client.pollRequest == nil && !loop.client.isSettled)
        try mock.startBus()
        try mock.startDaemon()
        #expect(loop.run { $0.isUp })
    }

    @Test func `the connection to a NetworkManager that does not answer is closed, and tried again later`() throws {
        try mock.start()
        let daemon = try #require(mock.daemon)
        kill(daemon.identifier, SIGSTOP)
        // What still arrives moves the limit on, so the clock runs until nothing does.
        var ahead = Duration.zero
        while !loop.client.isSettled {
            _ = loop.client.process(now: SuspendingClock.now + ahead)
            ahead += NetworkManagerSession.answerLimit
        }
        #expect(loop.client.facts == nil && loop.client.pollRequest == nil)
        kill(daemon.identifier, SIGCONT)
        #expect(loop.run(ahead: ahead) { $0.isUp })
    }

    @Test func `a property of the wrong type is ignored, and the others are taken`() throws {
        try mock.start()
        try mock.addDevice("eth0", properties: [["Metered", "s", "yes"]])
        try mock.addDevice("eth1", properties: [["Metered", "u", "1"]])
        try #require(loop.run { $0.isUp })
        #expect(loop.client.facts?.devices["eth0"]?.metered == .unknown)
        try mock.changeDevice("eth1", ["Metered", "ao", "1", "/a"], ["State", "u", "30"], ["Interface", "u", "7"])
        #expect(loop.run { $0.facts?.devices["eth1"]?.state == 30 })
        #expect(loop.client.facts?.devices["eth1"]?.metered == .yes)
        try mock.changeManager(["State", "s", "x"], ["Devices", "au", "1", "7"], ["NetworkingEnabled", "b", "false"])
        #expect(loop.run { $0.facts?.isNetworkingEnabled == false })
        #expect(loop.client.facts?.state == 70 && loop.client.facts?.devices.count == 2)
    }

    @Test func `all devices are read on a host with more devices than a system bus allows requests at once`() throws {
        try mock.start()
        let names = (0..<8).map { "eth\($0)" }
        for name in names { try mock.addDevice(name) }
        // The others do not exist and answer with an error; the last is past the limit.
        let others = (names.count..<NetworkManagerModel.deviceLimit).map { "none\($0)" } + ["eth8"]
        let paths = (names + others).map(MockNetworkManager.path)
        try mock.changeManager(["Devices", "ao", "\(paths.count)"] + paths)
        #expect(loop.run { $0.isSettled })
        #expect(loop.client.facts.map { $0.devices.keys.sorted() } == names)
    }

    @Test func `a signal that another peer sends in NetworkManager's place is not believed`() throws {
        try mock.start()
        try mock.addDevice("eth0", properties: [["Metered", "u", "2"]])
        try #require(loop.run { $0.isUp })
        let name = try #require(try mock.uniqueName(ofProcess: getpid()))
        let body = ["sa{sv}as", mock.deviceInterface, "1", "Metered", "u", "1", "0"]
        let signal = [MockNetworkManager.path(of: "eth0"), "org.freedesktop.DBus.Properties", "PropertiesChanged"]
        try mock.busctl(["--destination=\(name)", "emit"] + signal + body)
        // The honest change comes after it on the same connection.
        try mock.changeDevice("eth0", ["State", "u", "30"])
        try #require(loop.run { $0.facts?.devices["eth0"]?.state == 30 })
        #expect(loop.client.facts?.devices["eth0"]?.metered == .no)
    }
}
