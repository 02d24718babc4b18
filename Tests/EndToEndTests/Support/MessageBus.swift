import Foundation
import Glibc

/// A system bus of a test's own, with python-dbusmock's NetworkManager on it.
final class MessageBus {
    private let folder: TemporaryFolder
    private var bus: Program?
    private var manager: Program?

    init() throws { folder = try TemporaryFolder() }

    private var address: String { "unix:path=\(folder.path)/bus" }

    /// Leads a program to this bus.
    var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address] }

    /// Starts the bus, then NetworkManager, which appears on it some time later.
    func start() async throws {
        let configuration = """
            <busconfig>
              <listen>\(address)</listen>
              <policy context="default">
                <allow own="*"/><allow send_destination="*"/><allow eavesdrop="false"/><allow user="*"/>
              </policy>
            </busconfig>
            """
        let file = try folder.write("bus.conf", configuration)
        let bus = try Program(["dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1"])
        self.bus = bus
        try await poll("the bus") {
            guard bus.isRunning else { throw Failure(description: "the bus has ended: \(bus.errors)") }
            return bus.output.isEmpty ? nil : true
        }
        // Debian's, which has the packages.
        let mock = ["/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "networkmanager"]
        manager = try Program(mock, environment: environment)
    }

    /// Ends the bus without a farewell, and NetworkManager with it.
    func kill() async throws {
        for program in [bus, manager].compactMap(\.self) {
            program.signal(SIGKILL)
            _ = try await program.status()
        }
        (bus, manager) = (nil, nil)
        try? FileManager.default.removeItem(atPath: "\(folder.path)/bus")
    }
}
