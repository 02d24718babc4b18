import HTTPTransfer
import Testing

@testable import SpeedTestCore

struct LoadAccountingTests {
    @Test func `the cause of a stall is the first failed request since the last successful one`() {
        let load = LoadAccounting(.download, start: .now, largest: 1)
        #expect(load.trouble == nil)
        load.end(TransferMeter(), .failure(SpeedTestFailure(.status, "an answer of 500")))
        load.end(TransferMeter(), .success)
        #expect(load.trouble == nil)
        load.end(TransferMeter(), .failure(SpeedTestFailure(.reset, "closed")))
        load.end(TransferMeter(), .failure(SpeedTestFailure(.unreachable, "refused")))
        #expect(load.trouble?.reason == .reset)
    }

    private let reset = SpeedTestFailure(.reset, "closed")

    /// A request that has moved so many bytes, with a sample of the load before its end.
    private func move(_ bytes: Int, _ ending: LoadAccounting.Ending, on load: LoadAccounting) {
        let meter = TransferMeter()
        load.begin(meter)
        _ = meter.receive(bytes)
        _ = load.sample()
        load.end(meter, ending)
    }

    @Test func `bytes of a failed request leave the samples they were in, once`() {
        let load = LoadAccounting(.download, start: .now, largest: 1)
        move(1000, .success, on: load)
        let (meter, other) = (TransferMeter(), TransferMeter())
        load.begin(meter)
        load.begin(other)
        _ = meter.receive(300)
        _ = other.receive(20)
        let before = load.sample().now
        #expect(before.bytes == 1320)
        load.end(meter, .failure(reset))
        let (after, lost) = load.sample()
        #expect(after.bytes == 1020 && before.without(lost).bytes == 1020)
        #expect(load.sample().lost.isEmpty)
    }

    @Test func `the sample of the byte limit's end loses them too, and nothing is added to it`() {
        let load = LoadAccounting(.download, start: .now, largest: 1)
        let meter = TransferMeter()
        load.begin(meter)
        _ = meter.receive(300)
        load.exhausted()
        _ = meter.receive(300)
        #expect(load.isExhausted && load.sample().now.bytes == 300)
        load.end(meter, .failure(reset))
        #expect(load.sample().now.bytes == 0 && load.sample().now.bytes == 0)
    }

    @Test func `lost bytes forbid a rate until a request succeeds, and requests that the load ended do not vouch`() {
        let load = LoadAccounting(.download, start: .now, largest: 1)
        #expect(load.objection(to: .measured, nil) == nil)
        move(0, .failure(SpeedTestFailure(.unreachable, "refused")), on: load)
        #expect(load.objection(to: .dataCap, nil) == nil && load.objection(to: .stalled, nil)?.reason == .unreachable)
        move(10, .failure(reset), on: load)
        move(10, .stopped, on: load)
        #expect(load.objection(to: .dataCap, nil) == reset)
        move(10, .success, on: load)
        #expect(load.objection(to: .dataCap, nil) == nil)
    }

    @Test func `what was sent is that of all requests, also of failed ones`() {
        let load = LoadAccounting(.upload, start: .now, largest: 1)
        let meters = [TransferMeter(), TransferMeter(), TransferMeter()]
        for (meter, count) in zip(meters, [100, 20, 3]) {
            load.begin(meter)
            meter.send(count)
        }
        load.end(meters[0], .success)
        load.end(meters[1], .failure(reset))
        #expect(load.written == 123)
        meters[2].send(4000)
        #expect(load.written == 4123)
    }

    @Test func `an upload has a rate only where one was answered`() {
        let load = LoadAccounting(.upload, start: .now, largest: 1)
        #expect(load.objection(to: .measured, nil)?.reason == .short)
        load.end(TransferMeter(), .tooLarge(SpeedTestFailure(.status, "413")))
        load.end(TransferMeter(), .stopped)
        #expect(load.objection(to: .dataCap, nil)?.reason == .short)
        load.end(TransferMeter(), .success)
        #expect(load.objection(to: .dataCap, nil) == nil)
    }

    @Test(arguments: [(10_000, true), (12_000, false)])
    func `a window whose lost bytes exceed a tenth has no rate`(lost: Int, isRate: Bool) {
        let load = LoadAccounting(.download, start: .now, largest: 1)
        let start = load.sample().now
        var window = SteadyWindow(start: start, length: .seconds(3) ... .seconds(10))
        move(90_000, .success, on: load)
        move(lost, .failure(reset), on: load)
        let (sample, found) = load.sample()
        // Without another success nothing would count.
        load.end(TransferMeter(), .success)
        window.add(sample)
        #expect((load.objection(to: .measured, window.without(found)) == nil) == isRate)
    }

    @Test func `requests shrink once for all streams, down to 256 KiB`() {
        let load = LoadAccounting(.upload, start: .now, largest: 100_000_000)
        #expect(load.shrink(from: 100_000_000) && load.shrink(from: 100_000_000) && load.largest == 12_500_000)
        #expect(load.shrink(from: 300_000) && load.largest == 1 << 18)
        #expect(!load.shrink(from: 1 << 18) && !load.shrink(from: 16_384))
    }
}
