import StrictYAML

/// A configuration such as the exporter's, with one of everything.
struct Configuration: Equatable {
    var path: PathSection
    var targets: [Target]
    var requirements: [NamedValue<Double>]

    init(reading map: inout MappingReader) throws(YAMLError) {
        path = try map.section("path", PathSection.init(reading:))
        targets = try map.read("targets", as: .list(of: .section(Target.init(reading:))), default: [])
        requirements = try map.read("requirements", as: .dictionary(of: .ratio), default: [])
    }
}

struct PathSection: Equatable {
    var expensive: Bool?
    var settle: Settle
    var limit: Int

    init(reading map: inout MappingReader) throws(YAMLError) {
        expensive = try map.read("expensive", as: .keyword("auto", or: .bool), default: nil)
        settle = try map.section("settle", Settle.init(reading:))
        limit = try map.read("limit", as: .byteSize, default: 1000)
    }
}

struct Settle: Equatable {
    var quiet: Duration
    var max: Duration

    init(reading map: inout MappingReader) throws(YAMLError) {
        quiet = try map.read("quiet", as: .duration, default: .milliseconds(50))
        max = try map.read("max", as: .duration, default: .milliseconds(250))
        guard quiet <= max else { throw map.error("must not be more than max", at: "quiet") }
    }
}

struct Target: Equatable {
    enum Module: String, CaseIterable {
        case icmp
        case http
    }

    var name: String
    var module: Module
    var statuses: [Int]
    var headers: [NamedValue<String>]

    init(reading map: inout MappingReader) throws(YAMLError) {
        name = try map.required("name", as: .nonEmptyString)
        module = try map.read("module", as: .oneOf, default: .icmp)
        guard module == .http else {
            (statuses, headers) = ([], [])
            return
        }
        statuses = try map.read("status", as: .oneOrMore(of: .int(in: 100...599)), default: [200])
        headers = try map.read("headers", as: .dictionary(of: .string), default: [])
    }
}
