import FoundationEssentials
import Lab
import Testing

@testable import HTTPTransfer

/// Input from outside, damaged at random with a fixed seed: no parser may trap.
struct HTTPTransferFuzzTests {
    private func mutations(of seeds: [String], count: Int, _ body: ([UInt8]) -> Void) {
        var random = SplitMix64(state: 1)
        for index in 0..<count {
            var bytes = Array(seeds[index % seeds.count].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let position = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where position < bytes.count: bytes[position] = .random(in: 0...255, using: &random)
                case 1 where position < bytes.count: bytes.removeSubrange(position...)
                default: bytes.insert(UInt8.random(in: 0x20...0x7e, using: &random), at: position)
                }
            }
            body(bytes)
        }
    }

    @Test func `no date of a certificate traps`() {
        mutations(
            of: ["2026-11-21 12:00:00 GMT", "0000-01-01 00:00:00 GMT", "9999-12-31 23:59:59 GMT"],
            count: 100_000
        ) {
            let date = CertificateDate.parse($0.span.bytes)
            if let date { #expect(abs(date.timeIntervalSince1970) < 300_000_000_000) }
        }
    }

    @Test func `no URL traps, and one that is taken has no line end`() {
        let seeds = ["http://example.test/a?b#c", "https://[2001:db8::1]:8443/", "https://user@192.0.2.1:1/%00/../"]
        mutations(of: seeds, count: 100_000) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard URLParts(text) != nil else { return }
            #expect(bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f })
        }
    }
}
