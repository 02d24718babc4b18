import StrictYAML
import Testing

@Suite struct ScalarTests {
    @Test(arguments: ["5", "\"\"", "'a b'", "true", "1.1.1.1", "|\n  a\n  b", "2606:4700::1111", "\"~\""])
    func `takes any text`(text: String) {
        #expect(complaint("v: \(text)", as: key(.string)) == "accepted")
    }

    @Test(arguments: [
        ("", "nothing"), ("~", "nothing"), ("null", "nothing"), ("[]", "an empty list"), ("[1]", "a list"),
        ("{}", "a mapping"),
    ])
    func `takes nothing else for a text`(text: String, found: String) {
        #expect(complaint("v: \(text)", as: key(.string)) == "exporter.yml:1: v: expected a text, found \(found)")
    }

    @Test(arguments: [("true", true), ("false", false)])
    func `takes true and false`(text: String, expected: Bool) throws {
        #expect(try value("v: \(text)", as: key(.bool)) == expected)
    }

    @Test(arguments: ["yes", "no", "on", "off", "True", "FALSE", "y", "1", "0", "tru"])
    func `takes no other truth value`(text: String) {
        #expect(
            complaint("v: \(text)", as: key(.bool))
                == "exporter.yml:1: v: expected true or false, found \"\(text)\""
                + " (other spellings, such as yes and on, are not taken)"
        )
    }

    @Test func `a quoted truth value or number is text`() {
        #expect(
            complaint("v: 'true'", as: key(.bool))
                == "exporter.yml:1: v: expected true or false without quotes, found \"true\" in quotes"
        )
        #expect(
            complaint("v: \"80\"", as: key(YAMLType<Int>.int()))
                == "exporter.yml:1: v: expected a whole number without quotes, found \"80\" in quotes"
        )
    }

    @Test(arguments: [
        ("0", 0), ("-5", -5), ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
    ]) func `takes a whole number`(text: String, expected: Int) throws {
        #expect(try value("v: \(text)", as: key(YAMLType<Int>.int())) == expected)
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "010", "+5", "1.0", "1e3", "0x10", "1_000", "-0", "five", "1 2",
        "٣",
    ]) func `takes nothing else for a whole number`(text: String) {
        #expect(
            complaint("v: \(text)", as: key(YAMLType<Int>.int()))
                == "exporter.yml:1: v: expected a whole number, found \"\(text)\""
        )
    }

    @Test(arguments: [
        ("1", "accepted"), ("9", "accepted"),
        ("0", "exporter.yml:1: v: expected a whole number from 1 to 9, found \"0\""),
        ("10", "exporter.yml:1: v: expected a whole number from 1 to 9, found \"10\""),
    ]) func `keeps a whole number in its range`(text: String, expected: String) {
        #expect(complaint("v: \(text)", as: key(YAMLType<Int>.int(in: 1...9))) == expected)
    }

    @Test func `names a range that is open at one end`() {
        #expect(
            complaint("v: 0", as: key(YAMLType<Int>.int(in: 1...Int.max)))
                == "exporter.yml:1: v: expected a whole number of at least 1, found \"0\""
        )
        #expect(
            complaint("v: 6", as: key(YAMLType<Int>.int(in: Int.min...5)))
                == "exporter.yml:1: v: expected a whole number of at most 5, found \"6\""
        )
    }

    @Test(arguments: [("0.5", 0.5), ("-1e3", -1000), ("7", 7), (".5", 0.5)])
    func `takes a number`(text: String, expected: Double) throws {
        #expect(try value("v: \(text)", as: key(.double())) == expected)
    }

    @Test(arguments: [".nan", "nan", "inf", "-.inf", "1e999", "0x1p3", "1,5", "e"])
    func `takes nothing else for a number`(text: String) {
        #expect(
            complaint("v: \(text)", as: key(.double())) == "exporter.yml:1: v: expected a number, found \"\(text)\""
        )
    }

    @Test func `keeps a number and a duration in their ranges`() {
        #expect(
            complaint("v: 2", as: key(.double(in: 0...1)))
                == "exporter.yml:1: v: expected a number from 0.0 to 1.0, found \"2\""
        )
        #expect(complaint("v: 1s", as: key(.duration(in: .seconds(1)...(.seconds(2))))) == "accepted")
        #expect(
            complaint("v: 3s", as: key(.duration(in: .seconds(1)...(.seconds(2)))))
                == "exporter.yml:1: v: expected \(DurationText.expectation) from 1s to 2s, found \"3s\""
        )
    }

    @Test func `takes a keyword or a value`() throws {
        let type = key(.keyword("never", or: .duration))
        #expect(try value("v: never", as: type) == nil)
        #expect(try value("v: 1s", as: type) == .seconds(1))
        #expect(
            complaint("v: always", as: type)
                == "exporter.yml:1: v: expected never or \(DurationText.expectation), found \"always\""
        )
        #expect(
            complaint("v: [1s]", as: type)
                == "exporter.yml:1: v: expected never or \(DurationText.expectation), found a list"
        )
    }

    @Test func `a keyword is not an absent key`() throws {
        let type = YAMLType<Bool?>.section(false, [.key("v", \.self, .keyword("auto", or: .bool))])
        #expect(try value("", as: type) == false)
        #expect(try value("v: auto", as: type) == nil)
        #expect(complaint("v:", as: type) == "exporter.yml:1: v: expected auto, true or false, found nothing")
    }

    @Test func `reads rates and sizes`() throws {
        #expect(try value("v: 4Mbps", as: key(YAMLType<Int>.bitRate)) == 4_000_000)
        #expect(try value("v: '20GB'", as: key(YAMLType<Int>.byteSize)) == 20_000_000_000)
        #expect(
            complaint("v: 4MB", as: key(YAMLType<Int>.bitRate))
                == "exporter.yml:1: v: expected \(BitRateText.expectation), found \"4MB\""
        )
        #expect(
            complaint("v: 4", as: key(YAMLType<Int>.byteSize))
                == "exporter.yml:1: v: expected \(ByteSizeText.expectation), found \"4\""
        )
    }
}
