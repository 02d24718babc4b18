/// Fills in `${NAME}`, `${NAME:-default}` and `${file:/path}` inside a text; `$${` is a literal `${`.
///
/// The caller gives it the environment and a function that reads files. What it fills in is never expanded again and
/// never parsed as YAML.
package struct Expander: Sendable {
    /// Why a text could not be expanded.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        /// One sentence without the place, which the caller knows.
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    private let environment: [String: String]
    private let readFile: @Sendable (String) throws -> String

    /// `readFile` limits what it reads; one line end at the end of a file is dropped.
    package init(
        environment: [String: String] = [:],
        readFile: @escaping @Sendable (String) throws -> String = { _ in throw Failure("files are not read here") }
    ) {
        self.environment = environment
        self.readFile = readFile
    }

    /// The text with everything filled in.
    package func expand(_ text: String) throws(Failure) -> String {
        var expanded = ""
        var rest = Substring(text).utf8
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            expanded += String(Substring(rest[..<dollar]))
            rest = rest[dollar...]
            if rest.starts(with: "$${".utf8) {
                expanded += "${"
                rest = rest.dropFirst(3)
            } else if rest.starts(with: "${".utf8) {
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                    throw Failure("${ without its } (write $${ for a literal ${)")
                }
                expanded += try value(of: Substring(rest[rest.index(dollar, offsetBy: 2)..<end]))
                rest = rest[rest.index(after: end)...]
            } else {
                expanded += "$"
                rest = rest.dropFirst()
            }
        }
        return expanded + String(Substring(rest))
    }

    private func value(of reference: Substring) throws(Failure) -> String {
        let form = "${NAME}, ${NAME:-default} or ${file:/path}"
        let name = reference.prefix { $0 != ":" }
        let rest = reference.dropFirst(name.count)
        guard !reference.contains("${") else {
            throw Failure("expected \(form), found one inside another")
        }
        if name == "file", rest.hasPrefix(":"), !rest.hasPrefix(":-") {
            return try contents(of: String(rest.dropFirst()))
        }
        guard isVariableName(name), rest.isEmpty || rest.hasPrefix(":-") else {
            throw Failure("expected \(form), found \(quoted("${\(reference)}"))")
        }
        let variable = environment[String(name)]
        if rest.isEmpty {
            guard let variable else { throw Failure("the environment variable \(shortened(name)) is not set") }
            return variable
        }
        guard let variable, !variable.isEmpty else { return String(rest.dropFirst(2)) }
        return variable
    }

    private func contents(of path: String) throws(Failure) -> String {
        do {
            let text = try readFile(path)
            return text.last?.isNewline == true ? String(text.dropLast()) : text
        } catch {
            throw Failure("cannot read \(quoted(path)): \(error)")
        }
    }

    private func isVariableName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.unicodeScalars.allSatisfy {
            $0 == "_" || ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
        }
    }
}
