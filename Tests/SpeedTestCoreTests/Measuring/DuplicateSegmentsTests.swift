import Testing

@testable import SpeedTestCore

struct DuplicateSegmentsTests {
    private let text = """
        TcpExt: SyncookiesSent TCPDSACKOldSent TCPDSACKOfoSent TCPDSACKRecv
        TcpExt: 1 20 300 4000
        IpExt: InNoRoutes InTruncatedPkts
        IpExt: 5 6

        """

    @Test func `the two counts of repeated segments are added`() {
        #expect(DuplicateSegments.count(in: text) == 320)
    }

    @Test(arguments: ["", "TcpExt: TCPDSACKOldSent\n", "TcpExt: TCPDSACKOldSent TCPDSACKOfoSent\nTcpExt: 1\n"])
    func `without both there is no count`(text: String) {
        #expect(DuplicateSegments.count(in: text) == nil)
        #expect(DuplicateSegments.count(procfs: "/nowhere") == nil)
    }

    @Test func `this kernel has them`() {
        #expect(DuplicateSegments.count() != nil)
    }
}
