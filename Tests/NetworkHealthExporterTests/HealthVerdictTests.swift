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
                {"constrained":null,"currentQuality":null,"downloadMbps":null,"expensive":null,"latencySeconds":null,\
                "nextMeasurementAt":null,"passed":false,"quality":null,"reasons":["starting"],\
                "recommendation":"The first evaluation is not complete yet. Try again in a second",\
                "requiredQuality":null,"requirement":"online","uploadMbps":null}
                """
        )
    }

    @Test func `online passes without a reason`() {
        let verdict = HealthVerdict(.online { $0.isExpensive = true })
        #expect(verdict.passed)
        #expect(verdict.text == "online")
        #expect(
            String(decoding: verdict.json, as: UTF8.self) == """
                {"constrained":false,"currentQuality":"good","downloadMbps":null,"expensive":true,"latencySeconds":null,\
                "nextMeasurementAt":null,"passed":true,\
                "quality":{"ageSeconds":null,"measuredAt":null,"source":"estimated"},"reasons":[],\
                "recommendation":"Network quality is sufficient for this operation",\
                "requiredQuality":null,"requirement":"online","uploadMbps":null}
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
                {"constrained":false,"currentQuality":"offline","downloadMbps":null,"expensive":false,\
                "latencySeconds":null,"nextMeasurementAt":null,"passed":false,\
                "quality":{"ageSeconds":null,"measuredAt":null,"source":"estimated"},"reasons":["offline"],\
                "recommendation":"No network connection. Please check your internet",\
                "requiredQuality":null,"requirement":"online","uploadMbps":null}
                """
        )
    }
}
