import StrictYAML
import Testing

@Suite struct ExpanderTests {
    struct NoSuchFile: Error, CustomStringConvertible {
        var description: String { "no such file" }
    }

    static let expander = Expander(
        environment: ["NAME": "value", "EMPTY": "", "PORT": "80", "YAML": "[a, ${NAME}]", "file": "f", "_1": "u"]
    ) { path throws in
        switch path {
        case "/run/secrets/x": "secret\n"
        case "/two": "two\n\n"
        case "/crlf": "crlf\r\n"
        case "/odd:-path": "odd"
        default: throw NoSuchFile()
        }
    }

    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("${NAME}", "value"), ("a${NAME}b${NAME}", "avaluebvalue"), ("${EMPTY}", ""),
        ("${EMPTY:-x}", "x"), ("${NAME:-x}", "value"), ("${NONE:-x y:-z}", "x y:-z"), ("${NONE:-}", ""),
        ("${_1}", "u"), ("${file:/run/secrets/x}", "secret"), ("${file:/two}", "two\n"), ("${file:/crlf}", "crlf"),
        ("${file:/odd:-path}", "odd"), ("${file:-d}", "f"), ("${file}", "f"),
        ("$${NAME}", "${NAME}"), ("$$${NAME}", "$${NAME}"), ("$", "$"), ("^a$", "^a$"), ("$NAME", "$NAME"),
        ("$$", "$$"), ("}", "}"), ("${YAML}", "[a, ${NAME}]"), ("é${NAME}👩‍👩‍👧", "évalue👩‍👩‍👧"),
        ("$\u{301}{NAME}", "$\u{301}{NAME}"),
    ]) func `fills in`(text: String, expected: String) throws {
        #expect(try Self.expander.expand(text) == expected)
    }

    @Test(arguments: [
        ("${NONE}", "the environment variable NONE is not set"),
        ("${NAME", "${ without its } (write $${ for a literal ${)"),
        ("${", "${ without its } (write $${ for a literal ${)"),
        ("${}", "expected ${NAME}, ${NAME:-default} or ${file:/path}, found \"${}\""),
        ("${1A}", "expected ${NAME}, ${NAME:-default} or ${file:/path}, found \"${1A}\""),
        ("${A B}", "expected ${NAME}, ${NAME:-default} or ${file:/path}, found \"${A B}\""),
        ("${é}", "expected ${NAME}, ${NAME:-default} or ${file:/path}, found \"${é}\""),
        ("${NAME:x}", "expected ${NAME}, ${NAME:-default} or ${file:/path}, found \"${NAME:x}\""),
        ("${NONE:-${NAME}}", "expected ${NAME}, ${NAME:-default} or ${file:/path}, found one inside another"),
        ("${file:/none}", "cannot read \"/none\": no such file"),
        ("${file:}", "cannot read \"\": no such file"),
    ]) func `refuses`(text: String, message: String) {
        #expect(throws: Expander.Failure(message)) { try Self.expander.expand(text) }
    }

    @Test func `fills in inside values, after the parsing`() throws {
        let type = key(.string)
        #expect(try value("v: ${YAML}", as: type, expander: Self.expander) == "[a, ${NAME}]")
        #expect(try value("v: \"x ${file:/run/secrets/x}\"", as: type, expander: Self.expander) == "x secret")
        #expect(try value("v: \"${PORT}\"", as: key(YAMLType<Int>.int()), expander: Self.expander) == 80)
        #expect(try value("v: ${EMPTY}", as: type, expander: Self.expander).isEmpty)
        #expect(
            complaint("${NAME}: 1", as: key(YAMLType<Int>.int()), expander: Self.expander).contains(
                "the key \"v\" is missing"
            )
        )
    }

    @Test func `names the line of what is missing and shows no secret`() {
        #expect(
            complaint("#\nv: a ${NONE}", as: key(.string), expander: Self.expander)
                == "exporter.yml:2: v: the environment variable NONE is not set"
        )
        #expect(
            complaint("v: ${file:/run/secrets/x}", as: key(YAMLType<Int>.int()), expander: Self.expander)
                == "exporter.yml:1: v: expected a whole number, found \"${file:/run/secrets/x}\""
        )
    }
}
