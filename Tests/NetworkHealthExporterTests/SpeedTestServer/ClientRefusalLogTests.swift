import Testing

@testable import NetworkHealthExporter

struct ClientRefusalLogTests {
    @Test func `a client is logged at once, then once a minute with the number of its refusals`() {
        var log = ClientRefusalLog()
        #expect(log.refused("a", at: .seconds(1)) == 1)
        #expect(log.refused("a", at: .seconds(2)) == nil)
        #expect(log.refused("b", at: .seconds(3)) == 1)
        #expect(log.refused("a", at: .seconds(60)) == nil)
        #expect(log.refused("a", at: .seconds(61)) == 3)
        #expect(log.refused("a", at: .seconds(120)) == nil)
    }

    @Test func `a scan of many addresses does not fill the log`() {
        var log = ClientRefusalLog()
        let lines = (0..<10_000).count { log.refused("\($0)", at: .milliseconds($0)) != nil }
        #expect(lines == ClientRefusalLog.limit)
        #expect(log.refused("later", at: .seconds(61)) == 1)
    }
}
