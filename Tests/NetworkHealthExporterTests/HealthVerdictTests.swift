import NetworkHealth
import NetworkPath
import Testing

@testable import NetworkHealthExporter

struct HealthVerdictTests {
    @Test func `before the first evaluation it is starting`() {
        let verdict = HealthVerdict(nil)
        #expect(!verdict.passed)
        #expect(verdict.text == "starting")
        #expect(
            String(decoding: verdict.json, as: UTF8.self) == """
                {"constrained":null,"currentQuality":null,"expensive":null,"passed":false,"reasons":["starting"],\
                "recommendation":"The first evaluation is not complete yet. Try again in a second","requirement":"online"}
                """
        )
    }

    @Test func `online passes without a reason`() {
        let verdict = HealthVerdict(.online { $0.isExpensive = true })
        #expect(verdict.passed)
        #expect(verdict.text == "online")
        #expect(
            String(decoding: verdict.json, as: UTF8.self) == """
                {"constrained":false,"currentQuality":"good","expensive":true,"passed":true,"reasons":[],\
                "recommendation":"Network quality is sufficient for this operation","requirement":"online"}
                """
        )
    }

    @Test(arguments: Path.UnsatisfiedReason.allCases) func `any other state is offline`(reason: Path.UnsatisfiedReason)
    {
        let verdict = HealthVerdict(.offline(reason))
        #expect(!verdict.passed)
        #expect(verdict.text == "offline")
        #expect(verdict.recommendation == "No network connection. Please check your internet")
        #expect(
            String(decoding: verdict.json, as: UTF8.self) == """
                {"constrained":false,"currentQuality":"offline","expensive":false,"passed":false,"reasons":["offline"],\
                "recommendation":"No network connection. Please check your internet","requirement":"online"}
                """
        )
    }
}
