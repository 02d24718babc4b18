import Testing

@testable import Probing

struct DegradationTests {
    @Test func `Loss above 5 % for 30 s is degraded until it is below half of that for 60 s`() {
        var run = MachineRun.online()
        for (second, loss, state): (Double, Double, InternetState) in [
            (20, 0.06, .online), (49, 0.06, .online), (50, 0.06, .degraded), (60, 0.03, .degraded),
            (70, 0.025, .degraded), (100, 0.03, .degraded), (110, 0.02, .degraded), (169, 0, .degraded),
            (170, 0, .online),
        ] {
            run.advance(to: second)
            run.send(.lossMeasured(loss))
            #expect(run.state == state, "at \(second) s")
            #expect(run.verdict?.degradedReasons == (state == .degraded ? [.loss] : []), "at \(second) s")
        }
        #expect(run.states == [.online, .degraded, .online])
        #expect(run.verdict?.isSuspect == false)
    }

    @Test func `More than a tenth of retransmissions is degraded, too`() {
        var detector = DegradationDetector()
        detector.measured(retransmittedShare: 0.11, at: Moment.at(0))
        detector.measured(retransmittedShare: 0.1, at: Moment.at(20))
        detector.measured(retransmittedShare: 0.11, at: Moment.at(40))
        detector.measured(retransmittedShare: nil, at: Moment.at(60))
        detector.measured(retransmittedShare: 0.2, at: Moment.at(80))
        #expect(detector.degradedSince == nil)
        detector.measured(retransmittedShare: 0.2, at: Moment.at(110))
        #expect(detector.degradedSince == Moment.at(80))
        #expect(detector.reasons == [.retransmissions])
        // Half of the other limit counts, too.
        detector.measured(retransmittedShare: nil, at: Moment.at(120))
        #expect(detector.reasons == [.retransmissions], "until it ends, the last ones")
        detector.measured(loss: 0.04, at: Moment.at(150))
        #expect(detector.reasons == [.loss])
        detector.measured(loss: 0, at: Moment.at(160))
        detector.measured(loss: 0, at: Moment.at(219))
        #expect(detector.degradedSince != nil)
        detector.measured(loss: 0, at: Moment.at(220))
        #expect(detector.degradedSince == nil)
    }

    @Test func `Packet loss does not change the state of an offline path, and ends with it`() {
        var run = MachineRun()
        run.world = .refusing
        run.send(.pathChanged(.make()))
        for second in stride(from: 1.0, to: 60, by: 10) {
            run.advance(to: second)
            run.send(.lossMeasured(1))
        }
        #expect(run.states == [.noInternet])
        run.world = .good
        run.send(.pathChanged(.make(2)))
        run.advance(by: 1)
        #expect(run.state == .online)
    }
}
