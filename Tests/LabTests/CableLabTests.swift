import Lab
import NetworkHealth
import NetworkPath
import Statistics
import Testing

/// Cables pulled and links set down, with the clock running.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CableLabTests {
    @Test func `a link set down is on the stream within the settling time, and the state agrees`() async throws {
        let host = try await MonitoredHost()
        let sleeper = SleepingTask()
        var delays: [Duration] = []
        for _ in 0..<20 {
            try await host.state { $0.isOnline == true }
            try host.namespace.ip("link set eth0 down")
            // After the command: the kernel has sent the event by then, and the start of `ip` is not part of the delay.
            let began = SuspendingClock.now
            let offline = try await host.state { $0.isOnline == false }
            delays.append(began.duration(to: offline.seenAt))
            #expect(host.monitor.current?.status == .disconnected)
            try host.namespace.ip("link set eth0 up\nroute add default via 198.18.0.1")
        }
        delays.sort()
        print("link set down to stream: median \(delays[10]), worst \(delays[19])")
        // The defaults of `settle`, 50 ms of quiet and 250 ms at most, and as much again.
        #expect(delays[10] <= .milliseconds(50 * 2))
        #expect(delays[19] <= .milliseconds(250 * 2) + sleeper.lateness)
        #expect(host.monitor.statistics?.outages.count(.link) == 20)
    }

    @Test func `a pulled cable is offline after the hold, and online again soon after it is back`() async throws {
        let host = try await MonitoredHost()
        try await host.state { $0.isOnline == true }
        let sleeper = SleepingTask()

        try host.far.ip("link set far0 down")
        // After the command, as above.
        let pulled = SuspendingClock.now
        let offline = try await host.state { $0.isOnline == false }
        let evidence = try #require(host.monitor.statistics?.outages.ongoing?.since)
        let toEvidence = pulled.duration(to: evidence)
        let toOffline = evidence.duration(to: offline.seenAt)
        print("cable pulled to first evidence: \(toEvidence), from there to offline: \(toOffline)")
        #expect(toOffline >= .seconds(1))
        #expect(toEvidence + toOffline <= .milliseconds(1500) + sleeper.lateness)
        #expect(offline.state.path.unsatisfiedReason == .linkDown)

        try host.far.ip("link set far0 up")
        let restored = SuspendingClock.now
        let online = try await host.state { $0.isOnline == true }
        print("cable back to online: \(restored.duration(to: online.seenAt))")
        #expect(restored.duration(to: online.seenAt) <= .seconds(1) + sleeper.lateness)

        let outages = try #require(host.monitor.statistics?.outages)
        #expect(outages.count(.link) == 1)
        // From the first evidence on, not from the confirmation.
        #expect(outages.offline(.link, at: .now) >= toOffline)
        #expect(outages.durations.counts.reduce(0, +) == 1)
    }

    @Test func `a blip inside the hold shows in the counters and not in the status`() async throws {
        let host = try await MonitoredHost()
        try await host.state { $0.isOnline == true }
        let before = host.statistics
        let carrier = try #require(host.path.readDevices().counters["eth0"]?.carrierChanges)

        // Ahead of all other programs: one that waits for a processor would make the blip longer than the hold.
        let far = host.far.name
        let blip = "ip -n \(far) link set far0 down && sleep 0.3 && ip -n \(far) link set far0 up"
        try run(["chrt", "--fifo", "50", "sh", "-c", blip])
        try await host.eventually { (host.path.readDevices().counters["eth0"]?.carrierChanges ?? 0) >= carrier + 2 }
        // Past the end of the hold there is still nothing to tell.
        try await Task.sleep(for: .milliseconds(1200))

        #expect(host.statistics.rawEvents[.link, default: 0] > before.rawEvents[.link, default: 0])
        #expect(host.statistics.changes[.status, default: 0] == 0)
        #expect(host.monitor.statistics?.outages.count(.link) == 0)
        #expect(host.monitor.current?.isOnline == true)
    }

    @Test func `counters are those of the moment at which somebody asks`() async throws {
        let host = try await MonitoredHost { $0.countersInterval = .seconds(3600) }
        try await host.state { $0.isOnline == true }
        // For a second after a change of a link they are read every 400 ms.
        try await host.eventually("a reading that is old") {
            let (devices, now) = (host.path.devices, SuspendingClock().systemEpoch.duration(to: .now))
            return !devices.counters.isEmpty && now - devices.at > .seconds(1)
        }
        let (before, now) = (host.path.devices, host.path.readDevices())
        #expect(now.at - before.at > .milliseconds(500))
        #expect(now.counters["eth0"] != nil)
    }

    @Test func `an outage between two scrapes is counted`() async throws {
        let host = try await MonitoredHost()
        try await host.state { $0.isOnline == true }
        let began = SuspendingClock.now
        try host.namespace.ip("link set eth0 down")
        try await host.state { $0.isOnline == false }
        try host.namespace.ip("link set eth0 up\nroute add default via 198.18.0.1")
        try await host.state { $0.isOnline == true }
        let outages = try #require(host.monitor.statistics?.outages)
        #expect(outages.count(.link) == 1)
        #expect(outages.offline(.link, at: .now) > .milliseconds(50))
        #expect(outages.offline(.link, at: .now) <= began.duration(to: .now))
        #expect(outages.ongoing == nil)
    }
}
