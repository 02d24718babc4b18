import HTTPTransfer
import Testing

@testable import SpeedTestCore

struct LoadAccountingTests {
    @Test func `the cause of a stall is the first failed request since the last successful one`() {
        let load = LoadAccounting(.download, start: .now, largest: 1)
        #expect(load.trouble == nil)
        load.requestFailed(SpeedTestFailure(.status, "an answer of 500"))
        load.end(TransferMeter(), counts: true)
        #expect(load.trouble == nil)
        load.requestFailed(SpeedTestFailure(.reset, "closed"))
        load.end(TransferMeter(), counts: false)
        load.requestFailed(SpeedTestFailure(.unreachable, "refused"))
        #expect(load.trouble?.reason == .reset)
    }
}
