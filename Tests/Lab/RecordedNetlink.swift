import Foundation

/// Bytes that a kernel sent (Tests/NetlinkTests/Fixtures/record.py); `generic` as it sends them (generic.py).
package enum RecordedNetlink: String, CaseIterable {
    case links, addresses, routes4, routes6, events, flows4, flows6, options, generic

    /// One element a datagram.
    package func datagrams() throws -> [[UInt8]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "NetlinkTests/Fixtures/\(rawValue).hex")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            bytes(hexadecimal: String($0))
        }
    }
}
