import NetworkHealth

// The documentation's code, line by line, with no other import; compiled and not run.

private func asking() async {
    let now = await NetworkHealth.snapshot()
    print(now.quality, now.connectionType, now.interfaceName ?? "-")
    for await snapshot in NetworkHealth.stream() {
        guard snapshot.quality.isAtLeast(.moderate), !snapshot.isExpensive else { continue }
        // Time for the large download.
    }
}

private func watching() async {
    let monitor = NetworkMonitor()
    monitor.start()
    print(monitor.isConnected, monitor.connectionType?.rawValue ?? "-", monitor.status)
    for await status in monitor.updates {
        print("The path is \(status)")
    }
    monitor.stop()
}

private func probing() async {
    let prober = NetworkMonitor(internet: .probing())
    prober.start()
    for await isOnline in prober.connectivity {
        print(isOnline ? "online" : "offline")
    }
    for await _ in prober.connectivityRestored {
        // Send pending data.
    }
}

private func probingOwnHosts() {
    let check = InternetChecking.Check(name: "own", url: "http://probe.example.com/", expectation: .status(204))
    let own = NetworkMonitor(internet: .probing(checks: [check], https: [], literals: [], interval: .seconds(60)))
    own.start()
}

private func callingBack() {
    let service = ConnectivityService.shared
    let restored = service.onConnectivityRestored {
        print("connected")
    }
    let lost = service.onConnectivityLost {
        print("not connected")
    }
    service.removeCallback(restored)
    service.removeCallback(lost)
}

private func reaching(_ service: ConnectivityService) async -> Bool {
    let isUp = await service.isHostReachable("https://api.example.com/health")
    return isUp
}

private final class Uploader: ConnectivityAware {
    init() {
        setupConnectivityMonitoring()
    }

    func onConnectivityRestored() {
        print("resuming")
    }

    func onConnectivityLost() {
        print("pausing")
    }
}
