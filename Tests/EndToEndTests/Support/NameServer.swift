import Glibc

/// A real dnsmasq in the internet, to which every name is one web server.
final class NameServer {
    private let program: Program

    init(in namespace: Namespace, ipv4: String?, ipv6: String?) async throws {
        let addresses = [ipv4, ipv6].compactMap(\.self).map { "--address=/#/\($0)" }
        program = try Program(
            namespace.prefix + [
                "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--user=root", "--pid-file=", "--no-resolv",
                "--no-hosts", "--listen-address=\(FakeInternet.nameServer),\(FakeInternet.nameServerIPv6)",
                "--bind-interfaces", "--log-facility=-",
                "--txt-record=text.test,hello", "--mx-host=mail.test,mx.test,10",
                "--address=/missing.test/",
            ] + addresses
        )
        let program = program
        try await poll("dnsmasq in \(namespace.name)") {
            guard program.isRunning else { throw Failure(description: "dnsmasq has ended: \(program.errors)") }
            return program.errors.contains("started") ? true : nil
        }
    }

    func stop() async throws {
        program.signal(SIGTERM)
        _ = try await program.status()
    }
}
