import NetworkHealth

// The documentation's code, line by line, with no other import; compiled and not run.

private func asking() async {
    let now = await NetworkHealth.snapshot()
    print(now.quality, now.connectionType, now.interfaceName ?? "-")
    for await snapshot in NetworkHealth.stream() {
        guard snapshot.quality.isAtLeast(.moderate), snapshot.isUnmetered else { continue }
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
    for await type in monitor.connectionTypes {
        print(type?.rawValue ?? "no connection")
    }
    if let failure = monitor.failure {
        print("The network cannot be watched: \(failure)")
    }
}

private func requiring() async {
    let result = await NetworkHealth.check(requirement: .videoStreaming)
    if result.passed {
        print("The network is \(result.currentQuality)")
    } else {
        print(result.recommendation)
    }
    let measured = await NetworkHealth.detailedSnapshot(speedTester: MockSpeedTester.goodLTE)
    print(measured.quality, measured.downloadSpeedMbps ?? 0, measured.uploadSpeedMbps ?? 0, measured.latency ?? 0)
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
