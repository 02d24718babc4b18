import Foundation
import Lab
import Testing

@testable import NetworkPath

/// A private message bus in a directory of its own, and python-dbusmock's NetworkManager on it.
final class MockNetworkManager {
    /// For `NetworkManagerClient(busAddress:)`.
    let address: String
    private let folder: TemporaryFolder
    private var bus: Program?
    private(set) var daemon: Program?

    init() throws {
        folder = try TemporaryFolder()
        address = "unix:path=\(folder.file("bus"))"
        // Everything is allowed, within the limits of a system bus (128 unanswered calls per connection).
        let configuration = """
            <busconfig>
              <listen>\(address)</listen>
              <policy context="default">
                <allow own="*"/><allow send_destination="*"/><allow eavesdrop="false"/><allow user="*"/>
              </policy>
            </busconfig>
            """
        try folder.write("bus.conf", configuration)
    }

    deinit {
        daemon?.end()
        bus?.end()
    }

    func startBus() throws {
        let options = ["--config-file=\(folder.file("bus.conf"))", "--nofork", "--nopidfile", "--print-address=1"]
        let bus = try Program(["/usr/bin/dbus-daemon"] + options)
        self.bus = bus
        try #require(bus.readLine() != nil)
    }

    func stopBus() {
        bus?.end()
        bus = nil
    }

    /// Starts NetworkManager; it appears on the bus some time later.
    func startDaemon() throws {
        daemon = try Program(
            ["/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "networkmanager"],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address]
        )
    }

    func stopDaemon() {
        daemon?.end()
        daemon = nil
    }

    /// Starts the bus and NetworkManager, and waits until it is there.
    func start() throws {
        try startBus()
        try startDaemon()
        try #require(NetworkManagerLoop(address).run { $0.isUp })
    }

    /// Adds an activated Ethernet device with that name, and more properties as `busctl` takes them.
    func addDevice(_ name: String, properties: [[String]] = []) throws {
        try call(at: "/org/freedesktop", "AddEthernetDevice", "ssi", name, name, "100")
        guard !properties.isEmpty else { return }
        try call(at: Self.path(of: name), "AddProperties", "sa{sv}", Self.arguments(deviceInterface, properties))
    }

    /// Changes properties of a device, which announces them.
    func changeDevice(_ name: String, _ properties: [String]...) throws {
        try call(at: Self.path(of: name), "UpdateProperties", "sa{sv}", Self.arguments(deviceInterface, properties))
    }

    /// Changes properties of the manager, which announces them.
    func changeManager(_ properties: [String]...) throws {
        let interface = "org.freedesktop.NetworkManager"
        let path = "/org/freedesktop/NetworkManager"
        try call(at: path, "UpdateProperties", "sa{sv}", Self.arguments(interface, properties))
    }

    /// Runs `busctl` on this bus.
    func busctl(_ arguments: [String]) throws {
        try run(["busctl", "--address=\(address)"] + arguments)
    }

    /// The bus's name for the newest connection of a process.
    func uniqueName(ofProcess id: pid_t) throws -> String? {
        let list = try Program(["/usr/bin/busctl", "--address=\(address)", "--no-legend", "--unique", "list"])
        var name: String?
        while let line = list.readLine() {
            let fields = line.split(separator: " ")
            if fields.count > 1, fields[1] == "\(id)" { name = String(fields[0]) }
        }
        try #require(list.wait() == 0)
        return name
    }

    static func path(of device: String) -> String { "/org/freedesktop/NetworkManager/Devices/\(device)" }

    let deviceInterface = "org.freedesktop.NetworkManager.Device"

    private func call(at path: String, _ member: String, _ signature: String, _ arguments: [String]) throws {
        let target = ["call", "org.freedesktop.NetworkManager", path, "org.freedesktop.DBus.Mock", member, signature]
        try busctl(target + arguments)
    }

    private func call(at path: String, _ member: String, _ signature: String, _ arguments: String...) throws {
        try call(at: path, member, signature, arguments)
    }

    private static func arguments(_ interface: String, _ properties: [[String]]) -> [String] {
        [interface, "\(properties.count)"] + properties.flatMap(\.self)
    }
}
