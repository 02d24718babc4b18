import MicroHTTP

/// `/api/v1/openapi.json`: everything that this server answers, as OpenAPI 3.1 describes it.
///
/// It is written as the JSON that is sent, by subject; the words of closed lists come from the types that have them. What
/// it says is compared with the running server by a tool that nobody here wrote.
struct OpenAPIDocument: Sendable {
    private let bytes: [UInt8]

    init(_ settings: Settings) {
        bytes = Array(Self.text(settings).utf8)
    }

    @Sendable func answer(_ request: Request) -> Response { .json(bytes) }

    /// Where the settings have moved a path, it stands there.
    static func text(_ settings: Settings) -> String {
        let metrics = "\(JSONText.quoted(settings.telemetryPath)): \(Self.metrics)"
        let landing = settings.telemetryPath == "/" ? [] : [landing]
        let paths = [
            metrics, health, liveness, reload, configuration, probe, snapshot, stream, history, speedTest, itself,
        ]
        let server = settings.routePrefix.isEmpty ? "/" : settings.routePrefix
        return #"""
            {
            "openapi": "3.1.1",
            "info": {
              "title": "Network Health Exporter",
              "version": \#(JSONText.quoted(Version.number)),
              "summary": "Whether this host is connected, over what kind of interface, at what cost, and how good it is.",
              "description": "Every answer but a speed test is read from memory: asking measures nothing. `HEAD` is answered wherever `GET` is. Every answer has `Cache-Control: no-store` and `X-Content-Type-Options: nosniff`; an unknown path gets 404 and an unknown method 501, below `/api` as JSON with `error`. What is not known is `null`, never 0. Objects may get more fields in later versions. The embedded speed-test server below `/speedtest` speaks the protocols of others and is not described here."
            },
            "servers": [{"url": \#(JSONText.quoted(server)), "description": "The server that sent this."}],
            "tags": [
              {"name": "gates", "description": "For whoever decides by the status code."},
              {"name": "metrics", "description": "For Prometheus."},
              {"name": "api", "description": "JSON and events."},
              {"name": "administration", "description": "Configuration, and what the exporter is."}
            ],
            "paths": {
            \#((paths + landing).joined(separator: ",\n"))
            },
            "components": {
            \#([headers, responses, schemas].joined(separator: ",\n"))
            }
            }

            """#
    }

    /// What a request can be refused with whatever it asks: a method, a body or headers that nobody wants.
    static func refusals(_ form: Form) -> String {
        [("405", "MethodNotAllowed"), ("413", "BodyNotWanted"), ("431", "HeadersTooLarge")]
            .map { status, name in "\"\(status)\": {\"$ref\": \"#/components/responses/\(name)\(form.rawValue)\"}" }
            .joined(separator: ", ")
    }

    /// The words of a closed list, for `enum`.
    static func words<Words>(_ type: Words.Type) -> String
    where Words: CaseIterable & RawRepresentable, Words.RawValue == String {
        type.allCases.map { JSONText.quoted($0.rawValue) }.joined(separator: ", ")
    }

    /// How refusals are written: below `/api` as JSON.
    enum Form: String {
        case text = "Text"
        case json = "JSON"
    }
}
