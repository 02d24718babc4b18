import MicroHTTP
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct SpeedTestViewTests {
    private struct NoText: Error {}

    @Test func `within min_gap the answer says when another test is allowed`() throws {
        let response = SpeedTestView.response(.gap, for: 579.2)
        #expect(response.status == 429 && response.headers["Retry-After"] == "580")
        guard case .bytes(let body) = response.body else { throw NoText() }
        let text = String(decoding: body, as: UTF8.self)
        #expect(text.contains("speedtest.min_gap ago: another is allowed in 10 min"), "\(text)")
        #expect(SpeedTestView.response(.gap, for: 0.001).headers["Retry-After"] == "1")
    }

    @Test(arguments: [(SpeedTestRefusal.budget, 429), (.storage, 507), (.running, 409), (.expensive, 409)])
    func `other refusals have their status, and no time`(refusal: SpeedTestRefusal, status: Int) {
        let response = SpeedTestView.response(refusal, for: nil)
        #expect(response.status == status && response.headers["Retry-After"] == nil)
    }
}
