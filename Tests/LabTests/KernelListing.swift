import Foundation
import Lab
import Netlink
import NetworkPath
import Posix

/// Links, addresses and default routes as comparable lines: once from ip(8), once from what we recorded.
struct KernelListing: Equatable {
    var links: Set<String>
    var addresses: Set<String>
    var routes: Set<String>

    private struct JSONLink: Decodable {
        var ifindex: Int
        var ifname: String
        var flags: [String]
    }

    private struct JSONAddresses: Decodable {
        struct Entry: Decodable {
            var local: String
            var prefixlen: Int
        }
        enum CodingKeys: String, CodingKey {
            case name = "ifname"
            case entries = "addr_info"
        }
        var name: String
        var entries: [Entry]
    }

    private struct JSONRoute: Decodable {
        var dst: String
        var gateway: String?
        var dev: String?
        var metric: Int?
    }

    init(_ namespace: Namespace) throws {
        links = Set(
            try namespace.json([JSONLink].self, "link").map { link in
                "\(link.ifindex) \(link.ifname) \(link.flags.contains("UP")) \(link.flags.contains("LOWER_UP"))"
            }
        )
        addresses = Set(
            try namespace.json([JSONAddresses].self, "address").flatMap { link in
                link.entries.map { "\(link.name) \($0.local)/\($0.prefixlen)" }
            }
        )
        routes = Set(
            try ["-4", "-6"].flatMap { try namespace.json([JSONRoute].self, $0, "route", "show") }
                .filter { $0.dst == "default" }.map { "\($0.dev ?? "") \($0.gateway ?? "") \($0.metric ?? 0)" }
        )
    }

    init(_ state: RawState) {
        links = Set(
            state.links.values.map { "\($0.index) \($0.name) \($0.flags & 1 == 1) \($0.flags & 0x1_0000 != 0)" }
        )
        addresses = Set(
            state.addresses.values.map {
                "\(state.links[$0.interfaceIndex]?.name ?? "?") \($0.address)/\($0.prefixLength)"
            }
        )
        routes = Set(
            state.defaultRoutes.map { route in
                let hop = route.hops.first
                let device = hop.flatMap { state.links[$0.interfaceIndex]?.name } ?? ""
                return "\(device) \(hop?.gateway?.description ?? "") \(route.metric)"
            }
        )
    }
}
