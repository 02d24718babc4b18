import HTTPTransfer
import Lab
import Posix
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(3))) struct DNSMasqTests {
    @Test func `finds records of every type at a real server`() async throws {
        let server = try DNSMasq(
            "--host-record=host.test,198.18.0.1,2001:db8::1",
            "--cname=alias.test,host.test",
            "--txt-record=host.test,hello",
            "--mx-host=host.test,mail.test,10"
        )
        for type in DNSProbe.RecordType.allCases {
            let result = try await DNSProbe.ask(server.address, "host.test", type)
            #expect(result.isSuccess, "\(type): \(result.detail)")
            #expect(result.dns?.responseCode == 0 && result.dns?.answers == 1, "\(type)")
            #expect(result.method == .udp)
        }
        let alias = try await DNSProbe.ask(server.address, "ALIAS.test.")
        #expect(alias.isSuccess && alias.dns?.answers == 2, "\(alias.detail)")
    }

    @Test func `Distinguishes the failures of a real server`() async throws {
        let server = try DNSMasq("--local=/test/", "--host-record=four.test,198.18.0.1")
        let missing = try await DNSProbe.ask(server.address, "missing.test")
        #expect(missing.failure == .rcode && missing.detail == "NXDOMAIN from \(server.address)")
        #expect(missing.dns?.responseCode == 3)
        let empty = try await DNSProbe.ask(server.address, "four.test", .aaaa)
        #expect(empty.failure == .rcode && empty.detail == "NOERROR without AAAA from \(server.address)")
        #expect(empty.dns == DNSFacts(responseCode: 0, answers: 0, authorities: 0, additionals: 1))
        let refused = try await DNSProbe.ask(server.address, "elsewhere.example")
        #expect(refused.failure == .rcode && refused.detail == "REFUSED from \(server.address)")
    }

    @Test func `Queries a real server over TCP if the answer is longer than a datagram`() async throws {
        let text = String(repeating: "a", count: 250)
        let server = try DNSMasq("--txt-record=long.test" + String(repeating: ",\(text)", count: 6))
        let result = try await DNSProbe.ask(server.address, "long.test", .txt)
        #expect(result.isSuccess && result.method == .tcp && result.receivedBytes > 1500, "\(result.detail)")
        #expect(result.phases.connect != nil && result.phases.transfer != nil)
    }
}
