import Foundation
import Testing

@testable import NetworkHealth

struct CallbackRoundsTests {
    private let first = UUID()
    private let second = UUID()

    private func rounds(_ events: CallbackRounds.Event...) -> [CallbackRounds.Round] {
        var rounds = CallbackRounds()
        // A round of nobody is none.
        return events.compactMap { rounds.apply($0) }.filter { !$0.callbacks.isEmpty }
    }

    @Test func `is called once, whether the connection or the registration was first`() {
        let expected = CallbackRounds.Round(callbacks: [first], isConnected: true)
        #expect(rounds(.connected(true), .registered(first)) == [expected])
        #expect(rounds(.registered(first), .connected(true)) == [expected])
    }

    @Test func `a registration without a connection calls nothing until there is one`() {
        #expect(rounds(.connected(false), .registered(first)).isEmpty)
        #expect(rounds(.registered(first), .connected(false)).isEmpty, "nothing was lost")
        #expect(
            rounds(.registered(first), .connected(false), .registered(second), .connected(true))
                == [.init(callbacks: [first, second], isConnected: true)]
        )
    }

    @Test func `reports each change to all, in the order of their registration`() {
        #expect(
            rounds(
                .connected(true),
                .registered(second),
                .registered(first),
                .connected(false),
                .connected(false),
                .connected(true)
            ) == [
                .init(callbacks: [second], isConnected: true), .init(callbacks: [first], isConnected: true),
                .init(callbacks: [second, first], isConnected: false),
                .init(callbacks: [second, first], isConnected: true),
            ]
        )
    }

    @Test func `does not call a removed callback`() {
        #expect(
            rounds(.registered(first), .registered(second), .removed(first), .connected(true))
                == [.init(callbacks: [second], isConnected: true)]
        )
    }
}
