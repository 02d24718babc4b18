import Testing

@testable import HTTPTransfer

struct TransferTimesTests {
    private let whole = TransferTimes(
        nameLookup: 10,
        connect: 30,
        tls: 60,
        firstByte: 100,
        total: 150,
        usesTLS: true
    )

    private func phases(
        _ resolve: Int?,
        _ connect: Int?,
        _ tls: Int?,
        _ processing: Int?,
        _ transfer: Int?
    ) -> TransferPhases {
        var phases = TransferPhases()
        phases.resolve = resolve.map { .microseconds($0) }
        phases.connect = connect.map { .microseconds($0) }
        phases.tls = tls.map { .microseconds($0) }
        phases.processing = processing.map { .microseconds($0) }
        phases.transfer = transfer.map { .microseconds($0) }
        return phases
    }

    private func changed(_ change: (inout TransferTimes) -> Void) -> TransferTimes {
        var times = whole
        change(&times)
        return times
    }

    @Test func `each phase is what lies between two moments`() {
        #expect(whole.phases == phases(10, 20, 30, 40, 50) && whole.lastPhase == .transfer)
    }

    @Test func `without TLS there is no handshake`() {
        #expect(changed { $0.usesTLS = false }.phases == phases(10, 20, nil, 70, 50))
    }

    @Test func `a kept connection has neither lookup, connecting nor handshake`() {
        #expect(changed { $0.isReused = true }.phases == phases(nil, nil, nil, 100, 50))
    }

    @Test func `an address takes no lookup`() {
        #expect(changed { $0.needsNoLookup = true }.phases == phases(0, 30, 30, 40, 50))
    }

    @Test(arguments: [
        (4, TransferError.Phase.resolve), (3, .connect), (2, .tls), (1, .processing), (0, .transfer),
    ])
    func `the phase of the end takes the rest`(_ missing: Int, _ last: TransferError.Phase) {
        let moments: [WritableKeyPath<TransferTimes, Int64>] = [\.firstByte, \.tls, \.connect, \.nameLookup]
        let times = changed { times in for moment in moments.prefix(missing) { times[keyPath: moment] = 0 } }
        #expect(times.lastPhase == last)
        #expect(times.phases.sum == .microseconds(150))
        #expect((times.phases.transfer == nil) == (missing > 0))
    }

    @Test func `moments that run backwards, or past the end, leave no phase negative`() {
        let times = changed {
            $0.connect = 5
            $0.firstByte = 1_000
        }
        #expect(times.phases == phases(10, 0, 50, 90, 0))
    }
}
