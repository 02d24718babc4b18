import Posix
import Testing

@testable import Probing

struct InternetConfigurationTests {
    @Test func `hosts and names of the defaults`() {
        let configuration = InternetConfiguration()
        #expect(
            configuration.hosts == [
                "connectivitycheck.gstatic.com", "detectportal.firefox.com", "www.cloudflare.com", "www.gstatic.com",
                "1.1.1.1:443", "[2606:4700:4700::1111]:443",
            ]
        )
        #expect(
            configuration.probeNames == [
                "google", "mozilla", "www.cloudflare.com", "www.gstatic.com", "literal", "gateway",
            ]
        )
    }

    @Test func `A host is asked over HTTPS once, over a family that it has`() {
        var configuration = InternetConfiguration()
        configuration.https = [
            "https://[2001:db8::1]/", "https://a.example/", "https://a.example/b", "https://192.0.2.1/",
        ]
        #expect(configuration.independentHTTPS(over: .ipv6) == [0, 1])
        #expect(configuration.independentHTTPS(over: .ipv4) == [1, 3])
        configuration.https = ["https://[2001:db8::1]/"]
        #expect(configuration.independentHTTPS(over: .ipv4) == [0])
    }

    @Test func `A literal address can be reached over its own family only`() {
        #expect(InternetConfiguration.mayReach("http://[2001:db8::1]:8080/x", over: .ipv6))
        #expect(!InternetConfiguration.mayReach("http://[2001:db8::1]:8080/x", over: .ipv4))
        #expect(!InternetConfiguration.mayReach("http://192.0.2.1/", over: .ipv6))
        #expect(InternetConfiguration.mayReach("http://a.example/", over: .ipv6))
    }
}
