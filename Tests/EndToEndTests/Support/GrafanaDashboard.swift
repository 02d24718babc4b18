import Foundation

/// What of a dashboard is tested: the parts that Grafana's dashboard-linter looks at.
struct GrafanaDashboard: Decodable {
    static let names = ["network-health", "network-health-fleet", "network-health-why"]

    struct Source: Decodable, Equatable { var type, uid: String }

    struct Target: Decodable {
        var expr: String
        var datasource: Source
    }

    struct Panel: Decodable {
        struct Fields: Decodable {
            struct Defaults: Decodable { var unit: String }
            var defaults: Defaults
        }
        var type: String
        var title: String
        var description: String?
        var datasource: Source?
        /// nil: a row.
        var targets: [Target]?
        var fieldConfig: Fields?
        var interval: String?
        var maxDataPoints: Int?
    }

    struct Variable: Decodable {
        var name, label, type: String
        var datasource: Source?
        var definition: String?
        var refresh: Int
        var multi, includeAll: Bool
        var allValue: String?
    }

    struct Annotation: Decodable {
        var name, expr: String
        var datasource: Source
    }

    struct Annotations: Decodable { var list: [Annotation] }
    struct Templating: Decodable { var list: [Variable] }

    struct Link: Decodable {
        var url: String
        var includeVars, keepTime: Bool
    }

    var uid, title: String
    var editable: Bool
    var links: [Link]
    var annotations: Annotations
    var templating: Templating
    var panels: [Panel]

    /// Those of panels and annotations.
    var expressions: [String] {
        panels.flatMap { $0.targets ?? [] }.map(\.expr) + annotations.list.map(\.expr)
    }

    static func named(_ name: String) throws -> GrafanaDashboard {
        let text = try Repository.text("grafana/dashboards/\(name).json")
        return try JSONDecoder().decode(GrafanaDashboard.self, from: Data(text.utf8))
    }
}
