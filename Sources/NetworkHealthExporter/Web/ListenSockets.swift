import Glibc
import MicroHTTP

/// The listeners of the server: the addresses of the settings, or the sockets that systemd passes.
enum ListenSockets {
    /// The first descriptor that systemd passes (sd_listen_fds(3)).
    private static let firstPassed: Int32 = 3

    static func configuration(_ settings: Settings, _ environment: Environment = .process) throws
        -> Server.Configuration
    {
        guard settings.usesSystemdSocket else {
            return Server.Configuration(addresses: try settings.listenAddresses.map { try ListenAddress($0) })
        }
        var configuration = Server.Configuration(addresses: [])
        configuration.adoptedDescriptors = try passed(environment, process: getpid())
        return configuration
    }

    /// The descriptors that `LISTEN_FDS` counts, if they are meant for this process.
    static func passed(_ environment: Environment, process: Int32) throws(UsageError) -> [Int32] {
        guard let text = environment.variables["LISTEN_FDS"], let count = Int32(text), (1...1024).contains(count),
            environment.variables["LISTEN_PID"].flatMap(Int32.init) == process
        else {
            throw UsageError(
                "--web.systemd-socket: expected sockets from systemd (LISTEN_FDS and LISTEN_PID), found none"
            )
        }
        return Array(firstPassed..<(firstPassed + count))
    }
}
