import HTTPTransfer
import Probing
import StrictYAML

extension TCPProbe {
    init(reading map: inout MappingReader) throws(YAMLError) {
        self.init()
        let isOn = try map.read("tls", as: .bool, default: false)
        var tls = TransferTLS()
        tls.caFile = try map.optional("ca_file", as: .file)
        tls.serverName = try map.optional("server_name", as: .domainName)
        for key in ["ca_file", "server_name"] where !isOn && map.contains(key) {
            throw map.error("expected tls: true beside it", at: key)
        }
        self.tls = isOn ? tls : nil
    }
}

extension DNSProbe {
    init(reading map: inout MappingReader) throws(YAMLError) {
        self.init(query: try map.required("query", as: .domainName))
        type = try map.read("type", as: .oneOf, default: type)
    }
}

extension HTTPProbe {
    init(reading map: inout MappingReader) throws(YAMLError) {
        self.init()
        let method: TransferRequest.Method = try map.read("method", as: .oneOf, default: method)
        let (status, pattern) = try map.section("expect") { (map) throws(YAMLError) in
            let status = try map.read("status", as: .oneOrMore(of: .httpStatus), default: [])
            let pattern = try map.read("body_regex", as: .bodyPattern, default: nil)
            guard pattern == nil || method != .head else {
                throw map.error("expected none, for an answer to HEAD has no body", at: "body_regex")
            }
            return (status, pattern)
        }
        self.method = method
        expectedStatus = status
        bodyPattern = pattern
        options = try HTTPRequestOptions(reading: &map)
        headers = try HTTPRequestOptions.headers(reading: &map, isAuthorized: options.authorization != nil)
        // A short form of tls_config, as a tcp target has it.
        guard let caFile = try map.optional("ca_file", as: .file) else { return }
        guard options.tls.caFile == nil else {
            throw map.error("expected at most one of ca_file and tls_config.ca_file", at: "ca_file")
        }
        options.tls.caFile = caFile
    }
}

extension GraphQLProbe {
    init(reading map: inout MappingReader) throws(YAMLError) {
        self.init(query: try map.required("query", as: .nonEmptyString))
        options = try HTTPRequestOptions(reading: &map)
        headers = try HTTPRequestOptions.headers(reading: &map, isAuthorized: options.authorization != nil)
    }
}

extension YAMLType where Value == BodyPattern? {
    /// A regular expression; an empty one is none.
    fileprivate static var bodyPattern: YAMLType {
        YAMLType(expectations: ["a regular expression"]) { cursor throws(YAMLError) in
            let source = try YAMLType<String>.text("a regular expression") { $0 }.read(cursor)
            guard !source.isEmpty else { return nil }
            do throws(BodyPatternError) {
                return try BodyPattern(source)
            } catch {
                throw cursor.error("expected a regular expression: \(error)")
            }
        }
    }
}
