import Foundation
import Testing

@testable import NetworkHealthExporter

@Suite struct WebhookSignatureTests {
    // The digest is that of: printf '1790000000.{"event":"lost"}' | openssl dgst -sha256 -hmac secret
    @Test func `the signature is the HMAC of the time and the body`() {
        let value = WebhookSignature.value(
            of: Array(#"{"event":"lost"}"#.utf8),
            secret: "secret",
            at: Date(timeIntervalSince1970: 1_790_000_000.9)
        )
        #expect(value == "t=1790000000,v1=dd14ac1ebd86291e6dd08eb68258cb51d24026ef04b857324482301717b3f5c9")
    }

    @Test func `another secret, time or body has another signature`() {
        func value(_ body: String, _ secret: String, _ time: Double) -> String? {
            WebhookSignature.value(of: Array(body.utf8), secret: secret, at: Date(timeIntervalSince1970: time))
        }
        let values = [value("a", "s", 1), value("b", "s", 1), value("a", "t", 1), value("a", "s", 2)]
        #expect(Set(values).count == 4 && !values.contains(nil))
    }
}
