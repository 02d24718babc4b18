import Foundation
import Testing

/// Bytes that a kernel sent (Fixtures/record.py).
enum Fixture: String, CaseIterable {
    case links, addresses, routes4, routes6, events, flows4, flows6, options

    /// One element a datagram.
    func datagrams() throws -> [[UInt8]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/\(rawValue).hex")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let digits = Array(line.utf8)
            return try stride(from: 0, to: digits.count, by: 2).map { offset in
                try #require(UInt8(String(decoding: digits[offset..<offset + 2], as: UTF8.self), radix: 16))
            }
        }
    }
}
