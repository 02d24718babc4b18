import Probing
import StrictYAML

/// The keys that only some modules know: at another one the error says whose they are.
enum ModuleKeys {
    private static let modules: [String: [TargetModule]] = [
        "tls": [.tcp], "server_name": [.tcp], "ca_file": [.tcp, .http], "query": [.dns, .graphql], "type": [.dns],
        "method": [.http], "expect": [.http], "headers": [.http, .graphql], "authorization": [.http, .graphql],
        "basic_auth": [.http, .graphql], "tls_config": [.http, .graphql], "proxy_url": [.http, .graphql],
    ]

    static func check(_ map: MappingReader, _ module: TargetModule) throws(YAMLError) {
        for (key, owners) in modules.sorted(by: { $0.key < $1.key }) where !owners.contains(module) {
            guard map.contains(key) else { continue }
            let names = owners.map(\.rawValue).joined(separator: " and ")
            throw map.error("a key of module \(names), not of \(module.rawValue)", at: key)
        }
    }
}
