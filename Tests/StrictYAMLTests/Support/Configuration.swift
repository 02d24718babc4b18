import StrictYAML

/// A configuration such as the exporter's, with one of everything.
struct Configuration: Equatable {
    var path = PathSection()
    var targets: [Target] = []
    var requirements: [NamedValue<Double>] = []

    static var type: YAMLType<Configuration> {
        .section(
            Configuration(),
            [
                .section("path", \.path, PathSection.keys),
                .key("targets", \.targets, .list(of: Target.type, distinct: \.name)),
                .key("requirements", \.requirements, .entries(of: .ratio)),
            ]
        )
    }
}

struct PathSection: Equatable {
    var expensive: Bool?
    var settle = Settle()
    var limit = 1000

    static var keys: [YAMLKey<PathSection>] {
        [
            .key("expensive", \.expensive, .keyword("auto", or: .bool)),
            .section("settle", \.settle, Settle.keys, complete: Settle.complete),
            .key("limit", \.limit, .byteSize),
        ]
    }
}

struct Settle: Equatable {
    var quiet = Duration.milliseconds(50)
    var max = Duration.milliseconds(250)

    static var keys: [YAMLKey<Settle>] { [.key("quiet", \.quiet, .duration), .key("max", \.max, .duration)] }

    static func complete(_ settle: inout Settle, _ map: MappingReader) throws(YAMLError) {
        guard settle.quiet <= settle.max else { throw map.error("must not be more than max", at: "quiet") }
    }
}

struct Target: Equatable {
    enum Module: String, CaseIterable {
        case icmp
        case dns
        case http
    }

    struct HTTPOptions: Equatable {
        var statuses = [200]
        var headers: [String: String] = [:]

        static var keys: [YAMLKey<HTTPOptions>] {
            [
                .key("status", \.statuses, .oneOrMore(of: .int(in: 100...599))),
                .key("headers", \.headers, YAMLType.dictionary(of: YAMLType.string.masked).omitted(\.isEmpty)),
            ]
        }
    }

    var name = ""
    var module = Module.icmp
    var host: String?
    var query = ""
    var http = HTTPOptions()

    static var type: YAMLType<Target> { .section(Target(), keys) }

    static var keys: [YAMLKey<Target>] {
        [
            .required("name", \.name, .nonEmptyString),
            .key("module", \.module, .oneOf),
            .key("host", \.host, .optional(.nonEmptyString)),
            .required("query", \.query, .nonEmptyString).only(where: "module", \.module.rawValue, is: "dns"),
        ] + HTTPOptions.keys.map { $0.of(\.http).only(where: "module", \.module.rawValue, is: "http") }
    }
}
