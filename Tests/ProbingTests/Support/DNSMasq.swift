import Glibc
import Lab
import Synchronization

/// Debian's dnsmasq (package dnsmasq-base) on a loopback address of its own, gone with its last owner.
final class DNSMasq {
    private static let count = Atomic(0)

    let address: String
    private let process: ChildProcess

    /// Starts it with options of dnsmasq(8), and waits until it serves.
    init(_ options: String...) throws {
        // An address for each process and each server, so that the port is free.
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue & 0xff
        let host = "127.\(64 + getpid() >> 8 & 0x3f).\(getpid() & 0xff).\(number)"
        address = "\(host):5300"
        process = try ChildProcess(
            [
                "dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--port=5300", "--listen-address=\(host)",
                "--bind-interfaces", "--no-resolv", "--no-hosts",
            ] + options,
            reading: .errors
        )
        var printed: [String] = []
        while printed.last?.contains("started, version") != true {
            guard let line = process.readLine() else {
                throw CommandFailure(description: "dnsmasq: \(printed.joined(separator: "\n"))")
            }
            printed.append(line)
        }
    }
}
