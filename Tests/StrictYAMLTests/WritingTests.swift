import StrictYAML
import Testing

@Suite struct WritingTests {
    private func written(_ text: String) throws -> String {
        try #require(Configuration.type.write(try value(text, as: Configuration.type))).document
    }

    @Test func `what is not given is printed with its default`() throws {
        #expect(
            try written("") == """
                path:
                  expensive: auto
                  settle: { quiet: 50ms, max: 250ms }
                  limit: 1kB
                targets: []
                requirements: {}

                """
        )
    }

    @Test func `every kind of value is printed as it is read, and secrets are masked`() throws {
        let text = """
            path:
              expensive: true
              settle: { quiet: 1s, max: 1m30s }
              limit: 64MB
            targets:
              - name: "router"
                module: icmp
              - name: "a: \\"b\\" \\\\ # $${c} \\U000000fc\\U0001f6dc\\n"
                module: http
                host: "d"
                status: [200, 204]
                headers: { "X-B": "<secret>", x: "<secret>" }
              - name: "c"
                module: dns
                query: "example.com"
            requirements:
              video: 0.01
              "<<": 0.5

            """
        let printed = try written(text.replacing("\"<secret>\"", with: "hunter2"))
        #expect(printed == text)
        #expect(try value(printed, as: Configuration.type) == value(text, as: Configuration.type))
    }

    @Test func `a key that another one rules out names the values that have it`() {
        #expect(
            complaint("targets: [{ name: a, status: 200 }]", as: Configuration.type)
                == "exporter.yml:1: targets[0].status: a key of module http, not of icmp"
        )
        #expect(
            complaint("targets: [{ name: a, module: dns }]", as: Configuration.type)
                == "exporter.yml:1: targets[0]: the key \"query\" is missing"
        )
        #expect(
            complaint("targets: [{ name: a, module: dns, query: b, x: 1 }]", as: Configuration.type)
                == "exporter.yml:1: targets[0]: unknown key \"x\" (valid keys: name, module, host, query)"
        )
    }

    @Test func `a name of a list occurs once`() {
        #expect(
            complaint("targets:\n- name: a\n- name: a\n", as: Configuration.type)
                == "exporter.yml:3: targets[1]: the name \"a\" is already taken"
        )
    }

    @Test func `a rule and an unknown key are reported together`() {
        #expect(
            complaint("path:\n  settle:\n    quiet: 1s\n    x: 1\n", as: Configuration.type) == """
                exporter.yml:3: path.settle.quiet: must not be more than max
                exporter.yml:4: path.settle: unknown key "x" (valid keys: quiet, max)
                """
        )
    }

    @Test func `the keys are listed with their defaults`() {
        let keys = Configuration.type.keys.map { key in
            let value = key.isRequired ? "required" : key.default?.flow ?? "-"
            return "\(key.path) \(value)\(key.condition.map { " \($0)" } ?? "")"
        }
        #expect(
            keys == [
                "path { expensive: auto, settle: { quiet: 50ms, max: 250ms }, limit: 1kB }", "path.expensive auto",
                "path.settle { quiet: 50ms, max: 250ms }", "path.settle.quiet 50ms", "path.settle.max 250ms",
                "path.limit 1kB", "targets []", "targets[].name required", "targets[].module icmp", "targets[].host -",
                "targets[].query required dns", "targets[].status [200] http", "targets[].headers - http",
                "requirements {}",
            ]
        )
    }

    @Test func `a place in the document is found by its keys`() throws {
        let text = Array("a:\n  b:\n    - 1\n    - 2\n".utf8)
        let root = try YAMLDocument(text.span, file: "exporter.yml").root
        let item = try #require(root["a"]?["b"]?[1])
        #expect(item.error("again").description == "exporter.yml:4: a.b[1]: again")
        #expect(root["a"]?["b"]?[2] == nil && root["c"] == nil && root["a"]?[0] == nil)
    }
}
