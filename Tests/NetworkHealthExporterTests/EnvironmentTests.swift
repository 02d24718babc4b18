import Testing

@testable import NetworkHealthExporter

struct EnvironmentTests {
    @Test(arguments: [
        ("web.listen-address", "NHE_WEB_LISTEN_ADDRESS"), ("config.file", "NHE_CONFIG_FILE"),
        ("config.enable-auto-reload", "NHE_CONFIG_ENABLE_AUTO_RELOAD"), ("log.level", "NHE_LOG_LEVEL"),
    ])
    func `a flag's twin has its name in capitals`(flag: String, variable: String) {
        #expect(Environment.name(of: flag) == variable)
    }

    @Test(arguments: [("true", true), ("1", true), ("True", true), ("false", false), ("0", false), ("FALSE", false)])
    func `reads a switch`(text: String, expected: Bool) throws {
        #expect(try Environment(variables: ["NHE_A_B": text]).isSet("a.b") == expected)
    }

    @Test func `an absent switch is neither on nor off`() throws {
        #expect(try Environment(variables: [:]).isSet("a.b") == nil)
        #expect(try Environment(variables: ["NHE_A_B": ""]).isSet("a.b") == nil)
    }
}
