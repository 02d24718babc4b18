import ArgumentParser
import Testing

@testable import NetworkHealthExporter

struct EnvironmentTests {
    @Test(arguments: [
        (FlagName.listenAddress, "NHE_WEB_LISTEN_ADDRESS"), (.configFile, "NHE_CONFIG_FILE"),
        (.enableAutoReload, "NHE_CONFIG_ENABLE_AUTO_RELOAD"), (.logLevel, "NHE_LOG_LEVEL"),
    ])
    func `a flag's twin has its name in capitals`(flag: FlagName, variable: String) {
        #expect(flag.variable == variable)
    }

    @Test(arguments: [("true", true), ("1", true), ("True", true), ("false", false), ("0", false), ("FALSE", false)])
    func `reads a switch`(text: String, expected: Bool) throws {
        #expect(try Environment(variables: ["NHE_WEB_ENABLE_LIFECYCLE": text]).isSet(.enableLifecycle) == expected)
    }

    @Test func `an absent switch is neither on nor off`() throws {
        #expect(try Environment(variables: [:]).isSet(.enableLifecycle) == nil)
        #expect(try Environment(variables: ["NHE_WEB_ENABLE_LIFECYCLE": ""]).isSet(.enableLifecycle) == nil)
    }

    @Test(arguments: [
        ("NHE_LOG_LEVL", "debug", ["NHE_LOG_LEVL: unknown variable, did you mean NHE_LOG_LEVEL?"]),
        ("NHE_NONSENSE", "1", ["NHE_NONSENSE: unknown variable"]),
        ("NHE_WEB_PORT", "80", ["NHE_WEB_PORT: unknown variable"]),
        ("DEBUG_MODE", "yes", ["DEBUG_MODE: expected 1 or 0, found \"yes\""]), ("DEBUG_MODE", "0", []),
        ("DEBUG_MODE", "", []), ("NHE_LOG_LEVEL", "nonsense", []), ("NHELM", "1", []),
        // What Kubernetes sets for a service nhe with a port web, and for one nhe-web.
        ("NHE_SERVICE_HOST", "10.0.0.1", []), ("NHE_SERVICE_PORT", "10319", []), ("NHE_SERVICE_PORT_WEB", "10319", []),
        ("NHE_PORT", "tcp://10.0.0.1:10319", []), ("NHE_PORT_10319_TCP", "tcp://10.0.0.1:10319", []),
        ("NHE_PORT_10319_TCP_PROTO", "tcp", []), ("NHE_PORT_10319_TCP_PORT", "10319", []),
        ("NHE_PORT_10319_UDP_ADDR", "10.0.0.1", []), ("NHE_WEB_SERVICE_HOST", "10.0.0.1", []),
    ])
    func `an unknown variable causes a warning`(name: String, value: String, warnings: [String]) {
        #expect(Environment(variables: [name: value]).warnings == warnings)
    }

    @Test func `to apply changes of a file without a file causes a warning`() throws {
        func warnings(_ arguments: [String], _ variables: [String: String] = [:]) throws -> [String] {
            try Settings(Options.parse(arguments), Environment(variables: variables)).warnings
        }
        let warning = "--config.enable-auto-reload: without --config.file there is no file to apply"
        #expect(try warnings(["--config.enable-auto-reload"]) == [warning])
        #expect(try warnings([], ["NHE_CONFIG_ENABLE_AUTO_RELOAD": "true"]) == [warning])
        #expect(try warnings(["--config.enable-auto-reload", "--config.file=/a.yml"]).isEmpty)
        #expect(try warnings([]).isEmpty)
    }

    @Test func `every flag of serve has its twin`() {
        let help = Serve.helpMessage(columns: 1000)
        let flags = help.matches(of: /--(?:no-)?([a-z]+(?:\.[a-z-]+)+)/).map { String($0.1) }
        #expect(Set(flags) == Set(Set(FlagName.allCases).subtracting(FlagName.ofClients).map(\.rawValue)))
    }
}
