// The same as in `Lab` on another thread: what waits for a program there must not hold up a task.
extension Namespace {
    /// Runs ip(8) inside: one command with its options, or a command a line without.
    func ip(_ text: String) async throws { try await blocking { [self] in try ip(text) } }

    /// Sets a kernel parameter inside.
    func set(_ parameter: String, to value: String) async throws {
        let path = "/proc/sys/" + parameter.replacing(".", with: "/")
        try await blocking { [self] in try write(value, to: path) }
    }

    func delete() async throws { try await blocking { [self] in try delete() } }
}

/// Gives `body` an empty namespace, and deletes it afterwards.
func withNamespace<Result>(_ body: (Namespace) async throws -> Result) async throws -> Result {
    let namespace = try await blocking { try Namespace("link set lo up") }
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
