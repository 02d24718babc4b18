import Posix
import Probing
import Testing

@testable import NetworkHealth

struct InternetCheckingTests {
    @Test func `by default no host is contacted`() {
        #expect(InternetChecking.none.configuration == nil)
    }

    @Test func `probing without parameters is the exporter's default`() {
        #expect(InternetChecking.probing().configuration == InternetConfiguration())
    }

    @Test func `given hosts replace the defaults`() throws {
        let own = InternetChecking.probing(
            checks: [
                .init(name: "a", url: "http://192.0.2.1/", expectation: .status(200)),
                .init(name: "b", url: "http://192.0.2.2/", expectation: .bodyPrefix("ok")),
            ],
            https: ["https://192.0.2.3/"],
            literals: ["[2001:db8::1]:443", "no address"],
            interval: .seconds(1),
            expensiveInterval: .seconds(2),
            timeout: .seconds(3)
        )
        let configuration = try #require(own.configuration)
        #expect(
            configuration.probes == [
                .init(name: "a", url: "http://192.0.2.1/", expectation: .status(200)),
                .init(name: "b", url: "http://192.0.2.2/", expectation: .bodyPrefix("ok")),
            ]
        )
        #expect(configuration.https == ["https://192.0.2.3/"])
        #expect(configuration.literals.map(\.description) == ["[2001:db8::1]:443"])
        #expect(configuration.interval == .seconds(1))
        #expect(configuration.expensiveInterval == .seconds(2))
        #expect(configuration.timeout == .seconds(3))
    }
}
