import Foundation
import NetworkHealth

// The code of docs/migrating.md, which a test compares with it.

func followConnectivity() async {
    for await isConnected in NetworkMonitor.shared.connectivity {
        print(isConnected ? "connected" : "not connected")
    }
}

func showOnMainActor(_ show: @escaping @MainActor @Sendable (Bool) -> Void) -> Task<Void, Never> {
    Task { @MainActor in
        for await isConnected in NetworkMonitor.shared.connectivity { show(isConnected) }
    }
}

@MainActor
final class OfflineIndicator {
    private(set) var isShown = false
    private var task: Task<Void, Never>?

    func start() {
        task = Task { [weak self] in
            for await isConnected in NetworkMonitor.shared.connectivity { self?.isShown = !isConnected }
        }
    }

    func stop() { task?.cancel() }
}

extension Notification.Name {
    static let networkStatusChanged = Notification.Name("networkStatusChanged")
}

func postNotifications() async {
    for await status in NetworkMonitor.shared.updates {
        NotificationCenter.default.post(name: .networkStatusChanged, object: nil, userInfo: ["status": "\(status)"])
    }
}

func combineLatest() async {
    for await snapshot in NetworkHealth.stream() {
        print(snapshot.quality, snapshot.connectionType, snapshot.isExpensive, snapshot.isConstrained)
    }
}
