import FoundationEssentials
import HTTPTransfer
import Testing

@testable import Probing

struct ProbeOutcomeTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        let status: Int
        var body = ""
        var length: String?

        var testDescription: String { "\(status) \(body.prefix(12)) \(length ?? "")" }

        var response: TransferResponse {
            var response = TransferResponse(status: status)
            response.body = Array(body.utf8)
            if let length { response.headers = [("content-length", length)] }
            return response
        }
    }

    static let no204: [(Answer, ProbeOutcome)] = [
        (Answer(status: 204), .success),
        (Answer(status: 200, body: "<html>Please log in"), .portal),
        (Answer(status: 200, body: "", length: "5120"), .portal),
        (Answer(status: 200), .failed(.status)),
        (Answer(status: 200, length: "0"), .failed(.status)),
        (Answer(status: 200, body: "ok\r\n", length: "4"), .failed(.status)),
        (Answer(status: 200, body: "login", length: "5"), .portal),
        (Answer(status: 200, body: "ok", length: "-1"), .failed(.status)),
        (Answer(status: 200, body: "ok", length: "99999999999999999999"), .failed(.status)),
        (Answer(status: 302), .portal),
        (Answer(status: 304), .portal),
        (Answer(status: 511), .portal),
        (Answer(status: 404, body: "not found"), .failed(.status)),
        (Answer(status: 503, body: "<html>sorry"), .failed(.status)),
        (Answer(status: 0), .failed(.status)),
    ]

    @Test(arguments: no204)
    func `If 204 is expected, a page is a portal and an empty body a broken proxy`(
        answer: Answer,
        is outcome: ProbeOutcome
    ) {
        #expect(ProbeOutcome(answer.response, expecting: .status(204)) == outcome)
    }

    static let noPrefix: [(Answer, ProbeOutcome)] = [
        (Answer(status: 200, body: "success\n"), .success),
        (Answer(status: 203, body: "success"), .success),
        (Answer(status: 200, body: "<html>success"), .portal),
        (Answer(status: 200, body: "succ"), .portal),
        (Answer(status: 200), .failed(.body)),
        (Answer(status: 204), .failed(.body)),
        (Answer(status: 302, body: "success"), .portal),
        (Answer(status: 511, body: "success"), .portal),
        (Answer(status: 500, body: "success"), .failed(.status)),
    ]

    @Test(arguments: noPrefix)
    func `If a body is expected, another one is a portal`(answer: Answer, is outcome: ProbeOutcome) {
        #expect(ProbeOutcome(answer.response, expecting: .bodyPrefix("success")) == outcome)
    }

    @Test func `Any expected status is a success`() {
        #expect(ProbeOutcome(Answer(status: 302).response, expecting: .status(302)) == .success)
        #expect(ProbeOutcome(Answer(status: 200).response, expecting: .status(200)) == .success)
    }

    @Test(arguments: TransferError.Reason.allCases)
    func `Each failed transfer has an outcome, unless this process ended it`(reason: TransferError.Reason) {
        let outcome = ProbeOutcome(TransferError(reason, phase: .connect, message: ""))
        #expect((outcome == nil) == [.cancelled, .aborted, .stopped].contains(reason))
    }

    @Test func `Any error in the resolve phase means an unresolved name`() {
        #expect(ProbeOutcome(TransferError(.timeout, phase: .resolve, message: ""))?.isUnresolved == true)
        #expect(ProbeOutcome(TransferError(.resolve, phase: .resolve, message: ""))?.isUnresolved == true)
        #expect(ProbeOutcome(TransferError(.timeout, phase: .connect, message: ""))?.isUnresolved == false)
    }

    @Test func `Only a certificate that is not trusted is one, and not any failed handshake`() {
        var error = TransferError(.tls, phase: .tls, message: "")
        #expect(ProbeOutcome(error) == .failed(.tls, phase: .tls))
        error.statistics.certificateExpiry = Date(timeIntervalSince1970: 1)
        let outcomes: [(TransferError.Distrust, Distrust)] = [
            (.notYetValid, .notYetValid), (.expired, .expired(at: Date(timeIntervalSince1970: 1))), (.other, .other),
        ]
        for (distrust, outcome) in outcomes {
            error.distrust = distrust
            #expect(ProbeOutcome(error) == .untrusted(outcome))
            #expect(ProbeOutcome(error)?.failure == .tls && ProbeOutcome(error)?.isAnswered == true)
        }
    }
}
