import Foundation
import Testing

@testable import NetworkHealthExporter

struct OpenAPIDocumentTests {
    private func document(_ settings: Settings = Settings()) throws -> [String: Any] {
        let text = OpenAPIDocument.text(settings)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func paths(_ settings: Settings) throws -> [String: Any] {
        try #require(try document(settings)["paths"] as? [String: Any])
    }

    /// Every `$ref` below a value.
    private func references(_ value: Any) -> [String] {
        if let list = value as? [Any] { return list.flatMap(references) }
        guard let object = value as? [String: Any] else { return [] }
        return object.flatMap { key, value in
            key == "$ref" ? [value as? String ?? ""] : references(value)
        }
    }

    @Test func `every name of the template is replaced`() {
        let text = OpenAPIDocument.text(Settings())
        #expect(!text.contains("${") && !text.contains("[null"))
    }

    @Test func `is OpenAPI 3.1 of this version`() throws {
        let document = try document()
        #expect((document["openapi"] as? String)?.hasPrefix("3.1.") == true)
        #expect((document["info"] as? [String: Any])?["version"] as? String == Version.number)
    }

    /// The names of the schemes in lists of requirements, below every `security`.
    private func schemes(_ value: Any) -> [String] {
        if let list = value as? [Any] { return list.flatMap(schemes) }
        guard let object = value as? [String: Any] else { return [] }
        return object.flatMap { key, value in
            key == "security" ? (value as? [[String: [String]]] ?? []).flatMap(\.keys) : schemes(value)
        }
    }

    @Test func `what it refers to is there, and nothing else`() throws {
        let document = try document()
        let components = try #require(document["components"] as? [String: [String: Any]])
        let defined = components.flatMap { kind, parts in parts.keys.map { "#/components/\(kind)/\($0)" } }
        let secured = schemes(document).map { "#/components/securitySchemes/\($0)" }
        #expect(Set(references(document) + secured) == Set(defined))
    }

    @Test func `every operation has the answers to a client without credentials, and to one too many`() throws {
        for (path, operations) in try paths(Settings()) {
            for (method, operation) in try #require(operations as? [String: [String: Any]]) {
                let answers = try #require(operation["responses"] as? [String: Any])
                #expect(answers["401"] != nil && answers["503"] != nil, "\(method) \(path)")
            }
        }
    }

    @Test func `every operation but those of health has the answer to a browser with an unknown name in Host`() throws {
        for (path, operations) in try paths(Settings()) {
            let isOpen = ["/health", "/-/healthy", "/-/ready"].contains(path)
            for (method, operation) in try #require(operations as? [String: [String: Any]]) {
                let answers = try #require(operation["responses"] as? [String: Any])
                #expect((answers["403"] == nil) == isOpen, "\(method) \(path)")
            }
        }
    }

    @Test func `credentials are optional, a user's or those of the queue`() throws {
        let document = try document()
        #expect((document["security"] as? [[String: [String]]]) == [[:], ["user": []]])
        let post = (try paths(Settings())["/api/v1/requests"] as? [String: [String: Any]])?["post"]
        #expect((post?["security"] as? [[String: [String]]]) == [[:], ["user": []], ["token": []]])
    }

    @Test func `metrics are where the settings put them, and at the root replace the page`() throws {
        var settings = Settings()
        settings.telemetryPath = "/m"
        let moved = try paths(settings)
        #expect(moved["/m"] != nil && moved["/metrics"] == nil && moved["/"] != nil)
        settings.telemetryPath = "/"
        let atRoot = try paths(settings)
        #expect(atRoot.count == moved.count - 1)
        let operation = (atRoot["/"] as? [String: [String: Any]])?["get"]
        #expect(operation?["operationId"] as? String == "getMetrics")
    }
}
