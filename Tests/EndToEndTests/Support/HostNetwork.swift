/// A host whose uplink looks like a modem, behind a router, and containers on cables of their own.
struct HostNetwork {
    /// Of the router's end of the uplink.
    static let router = "198.18.255.1"

    let host: Namespace
    let pods: [Namespace]

    /// What leads the exporters in that container to the one of the host.
    func environment(ofPod index: Int) -> [String: String] {
        ["NHE_HOST_URL": "http://\(Self.hostAddress(index)):10319"]
    }

    /// The host's end of the cable to a container.
    fileprivate static func hostAddress(_ index: Int) -> String { "198.18.\(index + 1).1" }
}

/// Gives `body` a host with so many containers behind a router, which has to forward what it sends.
func withHost<Result>(
    behind router: Namespace,
    pods count: Int,
    _ body: (HostNetwork) async throws -> Result
) async throws -> Result {
    try await withNamespace { host in
        try await host.ip("link add rmnet0 type veth peer name eth0 netns \(router.name)")
        try await router.ip(
            """
            address add \(HostNetwork.router)/24 dev eth0
            link set eth0 up
            """
        )
        try await host.ip(
            """
            address add 198.18.255.2/24 dev rmnet0
            link set rmnet0 up
            route add default via \(HostNetwork.router)
            """
        )
        var pods: [Namespace] = []
        do {
            for index in 0..<count {
                let (pod, name, address) = (
                    try await blocking { try Namespace("link set lo up") }, "pod\(index)",
                    HostNetwork.hostAddress(index)
                )
                pods.append(pod)
                try await host.ip(
                    """
                    link add \(name) type veth peer name eth0 netns \(pod.name)
                    address add \(address)/24 dev \(name)
                    link set \(name) up
                    """
                )
                try await pod.ip(
                    """
                    address add 198.18.\(index + 1).2/24 dev eth0
                    link set eth0 up
                    route add default via \(address)
                    """
                )
            }
            let result = try await body(HostNetwork(host: host, pods: pods))
            for pod in pods { try await pod.delete() }
            return result
        } catch {
            for pod in pods { try? await pod.delete() }
            throw error
        }
    }
}
