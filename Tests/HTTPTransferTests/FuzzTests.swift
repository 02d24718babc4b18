import FoundationEssentials
import Glibc
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
            // The C library writes it back as it was.
            if let date { #expect(Array(Self.text(Int(date.timeIntervalSince1970)).utf8) == $0) }
        }
    }

    @Test func `each second from the year 0 to 9999 is read as the C library writes it`() {
        var random = SplitMix64(state: 1)
        for _ in 0..<50_000 {
            let seconds = Int.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let text = Array(Self.text(seconds).utf8)
            #expect(CertificateDate.parse(text.span.bytes)?.timeIntervalSince1970 == Double(seconds))
        }
    }

    private static func text(_ seconds: Int) -> String {
        var (time, parts) = (seconds, tm())
        gmtime_r(&time, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = [digits(parts.tm_year + 1900, 4), digits(parts.tm_mon + 1, 2), digits(parts.tm_mday, 2)]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits($0, 2) }
        return "\(date.joined(separator: "-")) \(clock.joined(separator: ":")) GMT"
    }

    @Test func `no URL traps, and one that is taken has no line end`() {
        let seeds = ["http://example.test/a?b#c", "https://[2001:db8::1]:8443/", "https://user@192.0.2.1:1/%00/../"]
        mutations(of: seeds, count: 100_000) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let parts = URLParts(text) else { return }
            #expect(bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f })
            // What was understood says the same again.
            #expect(URLParts("\(parts.isTLS ? "https" : "http")://\(parts.authority)/") == parts, "\(text)")
        }
    }
}
