import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Testing

@testable import NetworkHealthExporter

@Suite("Transitions") struct TransitionTests {
    private static let start = SuspendingClock().now

    private func state(_ state: HealthState, _ outage: Outage?) -> HealthState {
        var state = state
        state.outage = outage
        return state
    }

    @Test func `the fields of a transition have the names of the state`() {
        var state = HealthState.online()
        state.timestamp = Date(timeIntervalSince1970: 1_700_000_000.1234)
        #expect(
            Transition(state)
                == Transition(
                    at: 1_700_000_000.123,
                    online: true,
                    status: "connected",
                    interfaceName: "wlan0",
                    connectionType: "wifi",
                    quality: state.quality.rawValue
                )
        )
        let offline = Transition(.offline(.linkDown))
        #expect(offline.online == false && offline.status == "disconnected")
        #expect(offline.unsatisfiedReason == "link_down" && offline.interfaceName == nil)
        #expect(offline.quality == "offline" && offline.connectionType == "unknown")
    }

    @Test func `the verdict about the internet is said, and before it online is unknown`() {
        let path = Path(status: .satisfied)
        let waiting = Transition(HealthState(path: path, expectsVerdict: true, timestamp: .now))
        #expect(waiting.online == nil && waiting.internetState == nil && waiting.status == "connected")
        let verdict = InternetVerdict(state: .captivePortal, evidenceAt: .now, generation: 1)
        let captive = Transition(HealthState(path: path, internet: verdict, expectsVerdict: true, timestamp: .now))
        #expect(captive.online == false && captive.internetState == "captive_portal")
    }

    @Test func `the first is a transition, and the time alone is none`() {
        var later = HealthState.online()
        later.timestamp += 1000
        #expect(Transition(from: nil, to: later) != nil)
        #expect(Transition(from: .online(), to: later) == nil)
    }

    @Test(
        arguments: [
            \.online, \.status, \.unsatisfiedReason, \.internetState, \.interfaceName, \.connectionType, \.quality,
            \.outageCause,
        ] as [any PartialKeyPath<Transition> & Sendable]
    )
    func `each other field makes one`(field: any PartialKeyPath<Transition> & Sendable) throws {
        let last = Transition(.online())
        var new = last
        switch field {
        case let field as WritableKeyPath<Transition, Bool?>: new[keyPath: field] = nil
        case let field as WritableKeyPath<Transition, String?>: new[keyPath: field] = "x"
        case let field as WritableKeyPath<Transition, String>: new[keyPath: field] = "x"
        default: Issue.record("\(field)")
        }
        #expect(new.differs(from: last))
    }

    @Test func `an outage has its cause while it lasts, and its length once, where it ends`() throws {
        var outage = Outage(.gateway, since: Self.start)
        let during = state(.offline(), outage)
        let began = try #require(Transition(from: .online(), to: during))
        #expect(began.outageCause == "gateway" && began.outageSeconds == nil)
        outage.length = .microseconds(42_123_456)
        let after = state(.online(), outage)
        let ended = try #require(Transition(from: during, to: after))
        #expect(ended.outageCause == "gateway" && ended.outageSeconds == 42.123)
        #expect(began.outageLocation == nil && ended.outageLocation == "unknown")
        let moved = try #require(Transition(from: after, to: state(.online(over: .cellular), outage)))
        #expect(moved.outageCause == nil && moved.outageSeconds == nil)
        // Where the states between were missed, it is the outage that has ended since.
        let second = Outage(.link, since: Self.start, length: .seconds(1))
        #expect(Transition(from: after, to: state(.online(over: .cellular), second))?.outageSeconds == nil)
    }

    @Test func `the stream, the history and the log have the same names and values`() throws {
        var outage = Outage(.link, since: Self.start, length: .milliseconds(1500))
        outage.location = .link
        let last = state(.offline(.linkDown), Outage(.link, since: Self.start))
        let transition = try #require(Transition(from: last, to: state(.online(), outage)))
        #expect(
            String(decoding: transition.document.json, as: UTF8.self) == """
                {"at":"2023-11-14T22:13:20.000Z","connectionType":"wifi","interfaceName":"wlan0","internetState":null,\
                "online":true,"outageCause":"link","outageLocation":"link","outageSeconds":1.5,"quality":"good","status":"connected",\
                "unsatisfiedReason":null}
                """
        )
        let object = try JSONSerialization.jsonObject(with: Data(transition.document.json)) as? [String: Any]
        #expect(object.map { Set($0.keys) } == Set(Transition.columns))
        #expect(
            Dictionary(uniqueKeysWithValues: transition.known.map { ($0.name, $0.value) }) == [
                "online": "true", "status": "connected", "interfaceName": "wlan0", "connectionType": "wifi",
                "quality": "good", "outageCause": "link", "outageSeconds": "1.5", "outageLocation": "link",
            ]
        )
    }
}
