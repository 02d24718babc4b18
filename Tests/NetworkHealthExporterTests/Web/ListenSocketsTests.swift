import MicroHTTP
import Testing

@testable import NetworkHealthExporter

struct ListenSocketsTests {
    private func passed(_ variables: [String: String]) throws -> [Int32] {
        try ListenSockets.passed(Environment(variables: variables), process: 42)
    }

    @Test func `takes as many descriptors as systemd counts, from 3 on`() throws {
        #expect(try passed(["LISTEN_FDS": "1", "LISTEN_PID": "42"]) == [3])
        #expect(try passed(["LISTEN_FDS": "3", "LISTEN_PID": "42"]) == [3, 4, 5])
    }

    @Test(arguments: [
        [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "42"], ["LISTEN_FDS": "1", "LISTEN_PID": "41"],
        ["LISTEN_FDS": "0", "LISTEN_PID": "42"], ["LISTEN_FDS": "-1", "LISTEN_PID": "42"],
        ["LISTEN_FDS": "1025", "LISTEN_PID": "42"], ["LISTEN_FDS": "99999999999", "LISTEN_PID": "42"],
        ["LISTEN_FDS": "x", "LISTEN_PID": "42"],
    ])
    func `refuses what is not meant for this process`(variables: [String: String]) throws {
        let error = try #require(throws: UsageError.self) { try passed(variables) }
        #expect(
            error.description
                == "--web.systemd-socket: expected sockets from systemd (LISTEN_FDS and LISTEN_PID), found none"
        )
    }

    @Test func `without systemd the addresses of the settings count`() throws {
        var settings = Settings()
        settings.listenAddresses = [":1", "[::1]:2"]
        let configuration = try ListenSockets.configuration(settings, Environment(variables: [:]))
        #expect(configuration.addresses == [ListenAddress(port: 1), ListenAddress(host: "::1", port: 2)])
        #expect(configuration.adoptedDescriptors.isEmpty)
    }
}
