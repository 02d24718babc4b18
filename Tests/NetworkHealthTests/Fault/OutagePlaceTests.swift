import NetworkHealth
import Testing

struct OutagePlaceTests {
    private let now = ContinuousClock.now

    private func fault(_ location: FaultLocation, _ kind: FaultKind = .outage, age: Double = 10) -> Fault {
        let observation = FaultObservation(.state, at: now, says: "Something was seen.")
        return Fault(location, kind, since: now - .seconds(age), [observation])
    }

    private func place(of cause: OutageCause = .noInternet, _ faults: [Fault]) -> FaultLocation? {
        faults.place(of: FaultEvidence.OngoingOutage(cause, since: now - .seconds(10)))
    }

    @Test func `an outage is at the place of the nearest fault that is one`() {
        #expect(place([]) == nil)
        #expect(place([fault(.access)]) == .access)
        #expect(place([fault(.link, .loss), fault(.access), fault(.provider)]) == .access)
    }

    @Test func `a fault without a place, at one target, or of before is not its place`() {
        #expect(place([fault(.unknown)]) == nil)
        #expect(place([fault(.destination), fault(.policy)]) == .policy)
        #expect(place([fault(.link, age: 12)]) == nil)
        #expect(place([fault(.link, age: 10.5)]) == .link)
    }

    @Test func `the place of a lost link or route is that of an outage that began with it alone`() {
        for cause in OutageCause.allCases { #expect(cause.isPlace(ofOutageBy: cause)) }
        #expect(OutageCause.noInternet.isPlace(ofOutageBy: .gateway))
        #expect(!OutageCause.link.isPlace(ofOutageBy: .noInternet))
        #expect(!OutageCause.noInternet.isPlace(ofOutageBy: .link))
        #expect(!OutageCause.route.isPlace(ofOutageBy: .link))
    }

    @Test func `a name server is the place only where names are the cause`() {
        #expect(place(of: .noInternet, [fault(.dns)]) == nil)
        #expect(place(of: .dnsBroken, [fault(.dns)]) == .dns)
    }
}
