import Foundation
import Testing

/// Two exporters at the ends of a link of a known rate: one measures, the other serves.
struct SpeedLab {
    /// Bytes of IP packets that the device of the host has carried so far.
    struct Carried: Sendable {
        var down: Int
        var up: Int
        var total: Int { down + up }
    }

    let link: RelayedLink
    let server: ExporterProcess

    /// The measuring exporter's configuration, whose schedule comes into no test.
    static func configuration(
        path: String = "{ viewpoint: host }",
        schedule: String = "{ interval: 1h }",
        budget: String = "{ per_run: 500MB, per_day: 4GB, per_month: 20GB }"
    ) -> String {
        """
        internet: { enabled: false }
        gateway: { enabled: false }
        path: \(path)
        speedtest:
          servers:
            - name: lab
              protocol: speedlab
              url: "http://\(RelayedLink.far):10319/speedtest"
              congestion_control: cubic
          schedule: \(schedule)
          budget: \(budget)

        """
    }

    /// Without a limit that a fast machine would reach: some tests are as fast as its memory.
    static let serverConfiguration = """
        internet: { enabled: false }
        speedtest_server: { enabled: true, allow: ["198.18.0.0/15"], congestion_control: cubic, max_bytes_per_day: 10TB }

        """

    /// What the host's device carried, by the kernel's counters: whatever the exporters report, this was moved.
    func carried() async throws -> Carried {
        struct Device: Decodable {
            struct Statistics: Decodable {
                struct Counters: Decodable { var bytes: Int }
                var rx, tx: Counters
            }
            var stats64: Statistics
        }
        let text = try await output(of: ["ip", "-n", link.host.name, "-s", "-j", "link", "show", "dev", "lab0"])
        let counters = try #require(JSONDecoder().decode([Device].self, from: Data(text.utf8)).first).stats64
        // A tun device counts IP packets, with nothing below them.
        return Carried(down: counters.rx.bytes, up: counters.tx.bytes)
    }

    /// The same once no more comes.
    func carriedInTheEnd() async throws -> Carried {
        var last = -1
        return try await poll("the end of the traffic") {
            try await Task.sleep(for: .milliseconds(400))  // longer than the link holds a packet
            let carried = try await carried()
            // What ends a connection is no load.
            defer { last = carried.total }
            return last >= 0 && carried.total - last < 10_000 ? carried : nil
        }
    }
}

/// Gives `body` a link with a serving exporter at its far end.
func withSpeedLab<Result>(
    delay: Duration,
    up: Int,
    down: Int,
    _ body: (SpeedLab) async throws -> Result
) async throws -> Result {
    let behaviour = RelayedLink.Behaviour(delay: delay, rate: (up, down))
    return try await withRelayedLink(behaviour) { link in
        let flags = ["--web.listen-address=\(RelayedLink.far):10319"]
        return try await withExporter(flags, configuration: SpeedLab.serverConfiguration, in: link.peer) { server in
            try await body(SpeedLab(link: link, server: server))
        }
    }
}
