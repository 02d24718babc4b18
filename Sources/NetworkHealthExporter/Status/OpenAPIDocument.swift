import CAssets
import Coordination
import MicroHTTP
import NetworkHealth
import NetworkPath
import Probing
import SpeedTestCore
import Statistics
import StrictYAML

/// `/api/v1/openapi.json`: the description of everything that this server answers, in OpenAPI 3.1.
///
/// `Sources/CAssets/openapi.json` is its text. A `"${name}"` in it is replaced: by a setting, or by the words of a closed
/// list, which only their type declares. The end-to-end tests compare it with the running server.
struct OpenAPIDocument: Sendable {
    let settings: Settings
    /// From the first request on: most exporters are never asked for these 80 kB.
    private let bytes = Locked<[UInt8]?>(nil)

    @Sendable func answer(_ request: Request) -> Response {
        let bytes = bytes.withLock { bytes in
            let text = bytes ?? Array(Self.text(settings).utf8)
            bytes = text
            return text
        }
        return .json(bytes)
    }

    static func text(_ settings: Settings) -> String {
        let asset = UnsafeBufferPointer(start: nhe_openapi(), count: nhe_openapi_size())
        var template = Substring(decoding: asset, as: UTF8.self)
        // Metrics at the root replace the page, which is the last path.
        if settings.telemetryPath == "/", let page = template.firstRange(of: ",\n    \"/\": {"),
            let end = template[page.upperBound...].firstRange(of: "\n    }")
        {
            template.removeSubrange(page.lowerBound..<end.upperBound)
        }
        let values = values(settings)
        var parts = template.split(separator: "\"${", omittingEmptySubsequences: false)
        var text = String(parts.removeFirst())
        for part in parts {
            guard let end = part.firstRange(of: "}\"") else { continue }
            text += values[String(part[..<end.lowerBound])] ?? "null"
            text += part[end.upperBound...]
        }
        return text
    }

    /// JSON by the names of the template.
    private static func values(_ settings: Settings) -> [String: String] {
        [
            "version": JSONText.quoted(Version.number),
            "route-prefix": JSONText.quoted(settings.routePrefix.isEmpty ? "/" : settings.routePrefix),
            "telemetry-path": JSONText.quoted(settings.telemetryPath),
            "Requirement": words(Requirement.builtIn.map(\.name) + [RequirementsSection.custom]),
            "RequiredQuality": words(NetworkQuality.allCases.filter { $0 != .offline }.map(\.rawValue)),
            "ConnectionType": words(ConnectionType.self),
            "CostSource": words(CostSource.self),
            "FaultKind": words(FaultKind.self),
            "FaultLocation": words(FaultLocation.self),
            "HealthReason": words(HealthReason.self),
            "Viewpoint": words(Path.Viewpoint.self),
            "HistoryFormat": words(HistoryFormat.self),
            "HistoryKind": words(HistoryQuery.Kind.self),
            "InternetState": words(InternetState.self),
            "Limit": words(DirectionReport.Limit.self),
            "OutageCause": words(OutageCause.self),
            "ProbeFailure": words(ProbeFailure.self),
            "ProbeModule": words(ProbeModules.all.map { $0.module }),
            "Phase": words(SpeedTestProgress.Phase.self),
            "Quality": words(NetworkQuality.self),
            "QualitySource": words(QualitySource.self),
            "PlanLevel": words(SpeedPlan.Level.self),
            "QueueLocation": words(QueueLocation.self),
            "ReportFormat": words(ReportFormat.self),
            "ReportSubject": words(ReportFinding.Subject.self),
            "SkipReason": words(SkipReason.self),
            "SpeedTestProtocol": words(SpeedTestProtocol.self),
            "StationName": words(Station.Name.self),
            "StationState": words(Station.State.self),
            "Status": words(NetworkStatus.self),
            "TargetPause": words(CostDecision.SkipReason.self),
            "TargetState": words(TargetStatus.State.self),
            "UplinkObstacle": words(UplinkObstacle.allCases.map(\.word)),
            "UnsatisfiedReason": words(Path.UnsatisfiedReason.self),
        ]
    }

    private static func words<Words>(_ type: Words.Type) -> String
    where Words: CaseIterable & RawRepresentable, Words.RawValue == String {
        words(type.allCases.map(\.rawValue))
    }

    private static func words(_ words: [String]) -> String { words.map(JSONText.quoted).joined(separator: ", ") }
}
