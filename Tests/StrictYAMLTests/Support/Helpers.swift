import StrictYAML
import Testing

/// The value of a document; a fresh array keeps each test's text alive while it is read.
func value<Value>(
    _ text: String,
    as type: YAMLType<Value>,
    expander: Expander = Expander(),
    limits: YAMLLimits = YAMLLimits()
) throws(YAMLErrors) -> Value {
    let bytes = Array(text.utf8)
    return try YAML.read(bytes.span, file: "exporter.yml", as: type, expander: expander, limits: limits)
}

/// What is said about a document that is refused, or "accepted".
func complaint<Value>(
    _ text: String,
    as type: YAMLType<Value>,
    expander: Expander = Expander(),
    limits: YAMLLimits = YAMLLimits()
) -> String {
    do throws(YAMLErrors) {
        _ = try value(text, as: type, expander: expander, limits: limits)
        return "accepted"
    } catch {
        return error.description
    }
}

/// What is said about bytes that do not even parse, or "accepted".
func complaint(parsing bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) -> String {
    do throws(YAMLError) {
        _ = try YAML.parse(bytes.span, file: "exporter.yml", limits: limits)
        return "accepted"
    } catch {
        return error.description
    }
}

func complaint(parsing text: String, limits: YAMLLimits = YAMLLimits()) -> String {
    complaint(parsing: Array(text.utf8), limits: limits)
}

/// One key `v` of the given type.
func key<Value>(_ type: YAMLType<Value>) -> YAMLType<Value> {
    YAMLType<[Value]>.section([], [.required("v", \.self, type.mapped({ [$0] }, { $0[0] }))]).mapped(
        { $0[0] },
        { [$0] }
    )
}
