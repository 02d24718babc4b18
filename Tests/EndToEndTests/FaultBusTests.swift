import Testing

extension EndToEndTests.Faults {
    @Test func `a system bus that dies leaves the path as it is, without a spinning core, and is found again`()
        async throws
    {
        let manager = #"network_health_monitor_backend_up{backend="networkmanager"}"#
        let bus = try MessageBus()
        try await withNetwork { host in
            try await bus.start()
            try await withExporter(in: host, environment: bus.environment) { exporter in
                try await exporter.wait(for: manager, "1")
                try await bus.kill()
                try await exporter.wait(for: manager, "0")
                let before = try exporter.processorTicks()
                try await Task.sleep(for: .seconds(2))  // what is measured
                let used = try exporter.processorTicks() - before
                #expect(used < 60, "\(used) ticks")
                let during = try await exporter.request("/metrics").samples
                #expect(during[Self.connected] == "1" && during["network_health_online"] == "1")
                #expect(during[Self.linkOutages] == "0")
                try await bus.start()
                // It is tried after 1, 2, 4 s and so on.
                try await exporter.wait(for: manager, "1", within: .seconds(30))
            }
            try await bus.kill()
        }
    }
}
