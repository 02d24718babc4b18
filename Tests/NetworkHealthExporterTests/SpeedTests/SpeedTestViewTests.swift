import MicroHTTP
import NetworkHealth
import NetworkPath
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

    @Test func `why the cost is unknown is a part of the refusal`() throws {
        func text(_ viewpoint: Path.Viewpoint, isHostSilent: Bool = false) throws -> String {
            let gap = CostGap(HealthState.online { $0.viewpoint = viewpoint }, isHostSilent: isHostSilent)
            let response = SpeedTestView.response(.costUnknown, for: nil, gap)
            guard case .bytes(let body) = response.body else { throw NoText() }
            return String(decoding: body, as: UTF8.self)
        }
        #expect(try text(.container, isHostSilent: true).contains("the exporter of --host.url does not answer"))
        #expect(try text(.container).contains("--host.url to ask the exporter of the host"))
        let host = try text(.host)
        #expect(host.contains("NetworkManager has not answered yet") && !host.contains("--"), "\(host)")
    }

    @Test func `a speed that is missing needs a server, the tests of the host, the flag or a test`() {
        func step(_ lack: String?, host: Bool? = nil, isAllowed: Bool = true) -> String? {
            guard case .needs(let step) = SpeedTestAccess(lack: lack, isHostUp: host, isAllowed: isAllowed) else {
                return nil
            }
            return step
        }
        #expect(step("Name a server") == "Name a server" && step("Name a server", isAllowed: false) == "Name a server")
        #expect(step("Name a server", host: true)?.hasSuffix("Run a speed test there") == true)
        #expect(step("Name a server", host: false)?.hasSuffix("Check it, and --host.url") == true)
        #expect(step(nil, isAllowed: false)?.contains("--web.enable-admin-api") == true)
        #expect(SpeedTestAccess(lack: nil, isHostUp: nil, isAllowed: true) == .open)
    }

    @Test(arguments: [(SpeedTestRefusal.budget, 429), (.storage, 507), (.running, 409), (.expensive, 409)])
    func `other refusals have their status, and no time`(refusal: SpeedTestRefusal, status: Int) {
        let response = SpeedTestView.response(refusal, for: nil)
        #expect(response.status == status && response.headers["Retry-After"] == nil)
    }
}
