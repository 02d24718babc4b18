import HTTPTransfer
import Posix
import Probing
import StrictYAML

/// How to configure a target that somebody has asked for: the lines for the configuration file.
///
/// The text comes from the request: lines are suggested only if the exporter itself accepts them.
struct TargetSuggestion: Equatable, CustomStringConvertible {
    /// One of ours: the one asked for, or the kind that its name or the address suggests.
    let module: String
    /// The elements of `targets`; nil where the address is none for this module.
    private(set) var line: String?
    /// Why there is no line.
    private(set) var problem: String?

    /// - Parameters:
    ///   - text: an address, or a name.
    ///   - module: the one asked for; nil: none.
    ///   - taken: names of other targets.
    init(for text: String, module: String?, taken: Set<String> = []) {
        self.module = Self.module(module, for: text)
        let isWeb = ["http", "graphql"].contains(self.module)
        // As blackbox_exporter completes it.
        let address = isWeb && text.firstRange(of: "://") == nil ? "http://\(text)" : text
        let names = [WebURL(address)?.host ?? text, text].filter { !taken.contains($0) && Self.isName($0) }
        var entries: [YAMLText.Entry] = [
            .init("name", .quoted(names.first ?? "target")), .init("module", .plain(self.module)),
            .init("address", .quoted(address)),
        ]
        switch self.module {
        case DNSProbe.module: entries.append(.init("query", .quoted("example.com")))
        case GraphQLProbe.module: entries.append(.init("query", .quoted("{ __typename }")))
        default: break
        }
        let line = YAMLText.mapping(entries).flow
        do throws(YAMLErrors) {
            _ = try YAML.read(Array("[\(line)]".utf8).span, file: "", as: TargetList.type)
            self.line = line
        } catch {
            problem = error.errors.first?.message ?? ""
        }
    }

    private static func isName(_ text: String) -> Bool {
        let line = YAMLText.quoted(text).flow
        return (try? YAML.read(Array(line.utf8).span, file: "", as: YAMLType<String>.targetName)) != nil
    }

    /// Names such as `http_2xx` and `tcp_connect`, which blackbox_exporter has in its example, begin with the kind.
    private static func module(_ asked: String?, for text: String) -> String {
        let kinds = ProbeModules.all.map { $0.module }
        if let asked, let kind = kinds.first(where: { asked == $0 || asked.hasPrefix("\($0)_") }) { return kind }
        if text.firstRange(of: "://") != nil { return HTTPProbe.module }
        return HostPort(text)?.port == nil ? ICMPProbe.module : TCPProbe.module
    }

    var description: String {
        guard let line else { return "It cannot be a target of the module \(module): \(problem ?? "")\n" }
        return """
            To configure it, add to the configuration file:

            targets:
              - \(line)

            """
    }
}
