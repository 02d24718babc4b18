import Testing

@testable import StrictYAML

@Suite struct ParsingTests {
    @Test func `knows lines and columns`() throws {
        let bytes = Array("a: 1\nb:\n  - x\n  - { \"c\": 'y' }\n".utf8)
        let root = try YAML.parse(bytes.span, file: "f")
        let c = YAMLNode.Entry(
            key: "c",
            keyLine: 4,
            value: YAMLNode(kind: .scalar("y", style: .quoted), line: 4, column: 12)
        )
        let b = YAMLNode(
            kind: .sequence([
                YAMLNode(kind: .scalar("x", style: .plain), line: 3, column: 5),
                YAMLNode(kind: .mapping([c]), line: 4, column: 5),
            ]),
            line: 3,
            column: 3
        )
        let a = YAMLNode(kind: .scalar("1", style: .plain), line: 1, column: 4)
        #expect(
            root
                == YAMLNode(
                    kind: .mapping([
                        YAMLNode.Entry(key: "a", keyLine: 1, value: a), YAMLNode.Entry(key: "b", keyLine: 2, value: b),
                    ]),
                    line: 1,
                    column: 1
                )
        )
    }

    @Test func `repeats what an anchor names`() throws {
        let text = "base: &b [x, &y y]\nagain: *b\nthird: *y\n"
        let type = YAMLType<[NamedValue<[String]>]>.entries(of: .oneOrMore(of: .string))
        #expect(
            try value(text, as: type) == [
                NamedValue(name: "base", value: ["x", "y"]), NamedValue(name: "again", value: ["x", "y"]),
                NamedValue(name: "third", value: ["y"]),
            ]
        )
    }

    @Test func `takes a byte order mark, comments, document marks and Windows line ends`() throws {
        let type = key(.string)
        #expect(try value("\u{FEFF}v: 1", as: type) == "1")
        #expect(try value("%YAML 1.1\n---\n# c\nv: 1\n...\n", as: type) == "1")
        #expect(try value("v: |\r\n  a\r\n  b\r\n", as: type) == "a\nb\n")
        let entries = YAMLType<[NamedValue<Int>]>.entries(of: .int())
        #expect(try value("\"<<\": 1\nv: 2", as: entries).map(\.name) == ["<<", "v"])
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3", "exporter.yml:3: the key \"a\" is already on line 1"),
        ("a: {b: 1, 'b': 2}", "exporter.yml:1: the key \"b\" is already on line 1"),
        (
            "a: &a {}\nb:\n  <<: *a",
            "exporter.yml:3: merge keys (<<) are not supported: write the keys out, or alias a whole value"
        ),
        ("a: 1\n---\nb: 1", "exporter.yml:2: expected one document, found a second one"),
        ("a: *b", "exporter.yml:1: no anchor &b is complete before its alias"),
        ("a: &a [*a]", "exporter.yml:1: no anchor &a is complete before its alias"),
        ("? [a]\n: b", "exporter.yml:1: expected a key, found a list, a mapping or an alias"),
        ("a: &x y\n*x : b", "exporter.yml:2: expected a key, found a list, a mapping or an alias"),
        ("a: !!str 5", "exporter.yml:1: the tag \"tag:yaml.org,2002:str\" is not supported"),
        ("a: !x {}", "exporter.yml:1: the tag \"!x\" is not supported"),
        ("a: !<%0A> 1", "exporter.yml:1: the tag \"\\n\" is not supported"),
        ("!x a: 1", "exporter.yml:1: the tag \"!x\" is not supported"),
        ("a: 1\nb: \"\\0\"", "exporter.yml:2: a NUL character is not allowed"),
        ("a: 1\nb: \u{0}", "exporter.yml:2: a NUL character is not allowed"),
        ("a: 1\nb: \u{7}", "exporter.yml:2: control characters are not allowed"),
        (
            "a:\n\tb: 1",
            "exporter.yml:2: found character that cannot start any token while scanning for the next token"
                + " (a tab cannot indent: use spaces)"
        ),
        (
            "a: [1, 2\nb: 3",
            "exporter.yml:2: did not find expected ',' or ']' while parsing a flow sequence that starts on line 1"
        ),
        (
            "a: \"x\n\n",
            "exporter.yml:3: found unexpected end of stream while scanning a quoted scalar that starts on line 1"
        ),
        ("a: b: c", "exporter.yml:1: mapping values are not allowed in this context"),
        (
            "a: 1\n b: 2",
            "exporter.yml:2: mapping values are not allowed in this context"
        ),
        ("a: \"\\ud800\"", "exporter.yml:1: found invalid Unicode character escape code while parsing a quoted scalar"),
        ("a: @b", "exporter.yml:1: found character that cannot start any token while scanning for the next token"),
    ]) func `refuses`(text: String, expected: String) {
        #expect(complaint(parsing: text) == expected)
    }

    @Test(arguments: [
        ([0x61, 0x0A, 0xFF] as [UInt8], "exporter.yml:2: expected UTF-8 text"),
        ([0xFF, 0xFE, 0x61, 0x00], "exporter.yml:1: expected UTF-8 text"),
        ([0x61, 0x3A, 0x20, 0xC3], "exporter.yml:1: expected UTF-8 text"),
        ([0xED, 0xA0, 0x80], "exporter.yml:1: expected UTF-8 text"),
    ]) func `refuses what is no UTF-8`(bytes: [UInt8], expected: String) {
        #expect(complaint(parsing: bytes) == expected)
    }
}
