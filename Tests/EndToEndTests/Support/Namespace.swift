import Foundation
import Synchronization

/// A network namespace of a test's own: empty but for a loopback that is up.
final class Namespace: Sendable {
    private static let count = Atomic(0)

    let name: String

    init() async throws {
        name = "nhe-e2e-\(getpid())-\(Self.count.add(1, ordering: .relaxed).newValue)"
        try await output(of: ["ip", "netns", "add", name])
        try await ip("link set lo up")
    }

    /// What enters it, before a command.
    var prefix: [String] { ["ip", "netns", "exec", name] }

    /// Runs ip(8) inside: one command with its options, or a command a line without.
    func ip(_ text: String) async throws {
        if text.contains("\n") {
            try await output(of: ["ip", "-n", name, "-batch", "-"], input: text + "\n")
        } else {
            try await output(of: ["ip", "-n", name] + text.split(separator: " ").map(String.init))
        }
    }

    /// What programs inside see as /etc/resolv.conf (ip-netns(8)).
    func setResolver(_ address: String) throws {
        try FileManager.default.createDirectory(atPath: "/etc/netns/\(name)", withIntermediateDirectories: true)
        try Data("nameserver \(address)\n".utf8).write(to: URL(fileURLWithPath: "/etc/netns/\(name)/resolv.conf"))
    }

    /// Lets programs inside trust the authority of a PEM text beside nobody else.
    func setCertificateAuthority(_ text: String) throws {
        let folder = "/etc/netns/\(name)/ssl/certs"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/ca-certificates.crt"))
    }

    /// Sets a kernel parameter inside.
    func set(_ parameter: String, to value: String) async throws {
        try await output(of: prefix + ["sysctl", "-q", "-w", "\(parameter)=\(value)"])
    }

    /// Removes it from the system.
    func delete() async throws {
        try? FileManager.default.removeItem(atPath: "/etc/netns/\(name)")
        // Only if nobody else has put something there.
        rmdir("/etc/netns")
        try await output(of: ["ip", "netns", "del", name])
    }
}

/// Gives `body` an empty namespace, and deletes it afterwards.
func withNamespace<Result>(_ body: (Namespace) async throws -> Result) async throws -> Result {
    let namespace = try await Namespace()
    do {
        let result = try await body(namespace)
        try await namespace.delete()
        return result
    } catch {
        try? await namespace.delete()
        throw error
    }
}

/// Gives `body` a namespace with a network of fixed addresses: eth0 to a router in a namespace of its own.
func withNetwork<Result>(_ body: (Namespace) async throws -> Result) async throws -> Result {
    try await withCable { host, _ in try await body(host) }
}

/// The same with the router, whose eth0 is the far end of the cable.
func withCable<Result>(_ body: (Namespace, Namespace) async throws -> Result) async throws -> Result {
    try await withNamespace { router in
        try await withNamespace { host in
            try await host.ip(
                "link add eth0 index 42 address 02:00:00:00:00:42 type veth peer name eth0 netns \(router.name)"
            )
            try await router.ip("link set eth0 up")
            // No addresses but these, so that the events are few.
            try await host.ip("link set eth0 addrgenmode none")
            try await host.ip("address add 198.18.0.2/24 dev eth0")
            try await host.ip("address add 2001:2:0:1::2/64 dev eth0 nodad")
            try await host.ip("link set eth0 up")
            try await host.ip("route add default via 198.18.0.1 dev eth0")
            try await host.ip("-6 route add default via 2001:2:0:1::1 dev eth0")
            try host.setResolver("198.18.0.1")
            return try await body(host, router)
        }
    }
}
