import CMicroHTTPD
import Foundation
import Testing

@testable import MicroHTTP

struct LibraryVersionTests {
    /// `scripts/test` runs this module twice, the second time with Debian 13's library.
    @Test func `the process runs with the library that the run names, else with the one that it was built with`() {
        // 0x00097500: two digits each.
        let parts = [24, 16, 8].map { String(MHD_VERSION >> $0 & 0xff, radix: 16) }
        let expected = ProcessInfo.processInfo.environment["NHE_MICROHTTPD"] ?? parts.joined(separator: ".")
        #expect(LibraryVersion.current.text.hasPrefix(expected))
    }

    @Test(arguments: [("0.9.75", false), ("0.9.77", false), ("1.0.0", true), ("1.0.1", true), ("10.1", true)])
    func `from 1 on the parser refuses odd heads itself`(text: String, expected: Bool) {
        #expect(LibraryVersion(text: text).hasStrictParser == expected)
    }
}
