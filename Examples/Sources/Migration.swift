import NetworkHealth

// The code of the documentation's page "Migrating from Reachability and NWPathMonitor", which a test compares with it.

func followPath() async {
    let monitor = NetworkMonitor()
    monitor.start()
    defer { monitor.stop() }
    for await status in monitor.updates {
        switch status {
        case .connected: print("satisfied, over \(monitor.connectionType?.rawValue ?? "-")")
        case .requiresConnection: print("a connection is being made")
        case .disconnected, .unsatisfied: print("\(status): \(monitor.failure ?? "no usable path")")
        }
    }
}

func followSnapshots() async {
    for await snapshot in NetworkHealth.stream() {
        let isSparing = !snapshot.isUnmetered
        print(snapshot.connectionType == .wifi, isSparing, snapshot.interfaceName ?? "-")
    }
}

func watchConnection() {
    let service = ConnectivityService.shared
    let restored = service.onConnectivityRestored {
        print("reachable over \(service.connectionType?.rawValue ?? "-")")
    }
    let lost = service.onConnectivityLost { print("not reachable") }
    // At the end:
    service.removeCallback(restored)
    service.removeCallback(lost)
}

func followConnection() async {
    for await type in ConnectivityService.shared.connectionTypes {
        print(type.map { "reachable over \($0)" } ?? "not reachable")
    }
}

func upload(to host: String) async {
    guard await ConnectivityService.shared.isHostReachable(host) else {
        print(ConnectivityService.shared.failure ?? "\(host) does not answer")
        return
    }
    print("\(host) answers")
}
