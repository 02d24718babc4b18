import Glibc
import Synchronization

/// Debian's dnsmasq (package dnsmasq-base); ends with its last owner.
package final class DNSMasq: Sendable {
    private static let count = Atomic(0)

    /// The first that it listens on, and the port.
    package let address: String
    private let program: Program

    /// Starts it with further options of dnsmasq(8), and waits until it serves.
    ///
    /// - Parameters:
    ///   - addresses: where it listens.
    ///   - port: on all of them.
    ///   - namespace: whose network that is.
    ///   - options: what it answers.
    /// - Throws: `Failure` where it does not start.
    package init(on addresses: [String], port: UInt16 = 53, in namespace: Namespace? = nil, _ options: [String]) throws
    {
        address = "\(addresses[0]):\(port)"
        program = try Program(
            (namespace?.prefix ?? []) + [
                "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--user=root", "--pid-file=",
                "--log-facility=-", "--no-resolv", "--no-hosts", "--bind-interfaces", "--port=\(port)",
                "--listen-address=\(addresses.joined(separator: ","))",
            ] + options
        )
        while let line = program.readLine(of: .errors) {
            if line.contains("started, version") { return }
        }
        throw Failure(description: "dnsmasq: \(program.errors)")
    }

    /// Starts it on an address of loopback of its own, so that the port is free.
    package convenience init(_ options: String...) throws {
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue & 0xff
        try self.init(on: ["127.\(64 + getpid() >> 8 & 0x3f).\(getpid() & 0xff).\(number)"], port: 5300, options)
    }

    /// Ends it; returns its status.
    @discardableResult
    package func stop() -> Int32 {
        program.signal(SIGTERM)
        return program.wait()
    }
}
