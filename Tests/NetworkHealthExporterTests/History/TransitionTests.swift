import Foundation
import NetworkHealth
import NetworkPath
import Probing
import Testing

@testable import NetworkHealthExporter

@Suite("History: transitions") struct TransitionTests {
    @Test func `a state is told in its words`() {
        var state = HealthState.online()
        state.timestamp = Date(timeIntervalSince1970: 1_700_000_000.1234)
        #expect(
            Transition(state)
                == Transition(
                    at: 1_700_000_000.123,
                    online: true,
                    status: "connected",
                    interface: "wlan0",
                    type: "wifi",
                    quality: state.quality.rawValue
                )
        )
        let offline = Transition(.offline(.linkDown))
        #expect(offline.online == false && offline.status == "disconnected" && offline.reason == "link_down")
        #expect(offline.interface == nil && offline.quality == "offline" && offline.type == "unknown")
    }

    @Test func `the verdict about the internet is told, and before it online is unknown`() {
        let path = Path(status: .satisfied)
        let waiting = Transition(HealthState(path: path, expectsVerdict: true, timestamp: .now))
        #expect(waiting.online == nil && waiting.internet == nil && waiting.status == "connected")
        let verdict = InternetVerdict(state: .captive, evidenceAt: .now, generation: 1)
        let captive = Transition(HealthState(path: path, internet: verdict, expectsVerdict: true, timestamp: .now))
        #expect(captive.online == false && captive.internet == "captive")
    }

    @Test func `the first is a transition, and the time alone is none`() {
        var first = Transition(.online())
        let second = first
        first.at -= 1000
        #expect(first.differs(from: nil))
        #expect(!second.differs(from: first))
    }

    @Test(
        arguments: [
            \.online, \.status, \.reason, \.internet, \.interface, \.type, \.quality,
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
}
