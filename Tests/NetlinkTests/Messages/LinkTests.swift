import CLinux
import Lab
import Netlink
import Posix
import Testing

struct LinkTests {
    @Test func `reads a recorded dump`() throws {
        let links = try RecordedNetlink.links.datagrams().flatMap { try Parse.messages($0) }
            .filter { $0.message.type == RTM_NEWLINK }.compactMap { try Parse.link($0.payload) }
        let byName = Dictionary(uniqueKeysWithValues: links.map { ($0.name, $0) })
        #expect(Set(byName.keys) == ["lo", "veth0", "veth1", "veth2", "br0", "vx0", "tun0"])

        let veth = try #require(byName["veth1"])
        #expect(veth.index == 11 && veth.hardwareType == 1 && veth.kind == "veth")
        #expect(veth.flags & 0x43 == 0x43 && veth.operationalState == 6)
        #expect(veth.parentIndex == 10 && veth.parentNamespace == nil && veth.masterIndex == 14)
        #expect(veth.carrierUpCount != nil && veth.carrierDownCount != nil)
        #expect(veth.receivedBytes != nil)

        #expect(byName["veth2"]?.parentIndex == 13 && byName["veth2"]?.parentNamespace == 0)
        #expect(byName["vx0"]?.kind == "vxlan")
        #expect(byName["tun0"]?.kind == "tun" && byName["tun0"]?.hardwareType == 65534)
        #expect(byName["lo"]?.hardwareType == 772 && byName["lo"]?.kind == nil)
        #expect(byName["br0"]?.kind == "bridge" && byName["br0"]?.masterIndex == nil)
    }

    @Test(arguments: [("bond", Int32?(3)), ("vlan", nil)])
    func `reads the active slave of a bond only`(kind: String, activeSlave: Int32?) throws {
        let data = Build.attribute(Int(IFLA_BOND_ACTIVE_SLAVE), Build.integer(Int32(3)))
        let information = Build.attribute(IFLA_INFO_DATA, data) + Build.attribute(IFLA_INFO_KIND, kind)
        let link = try Parse.link(
            Build.link(
                Build.attribute(IFLA_IFNAME, "x0"),
                Build.attribute(0x8000 | IFLA_LINKINFO, information)
            )
        )
        #expect(link?.kind == kind)
        #expect(link?.activeSlaveIndex == activeSlave)
    }

    @Test func `reads a bond without an active slave`() throws {
        let data = Build.attribute(Int(IFLA_BOND_ACTIVE_SLAVE), Build.integer(Int32(0)))
        let information = Build.attribute(IFLA_INFO_KIND, "bond") + Build.attribute(IFLA_INFO_DATA, data)
        let link = try Parse.link(
            Build.link(Build.attribute(IFLA_IFNAME, "bond0"), Build.attribute(IFLA_LINKINFO, information))
        )
        #expect(link?.kind == "bond" && link?.activeSlaveIndex == nil)
    }

    @Test func `reads a WWAN device, a dormant Wi-Fi and a VLAN`() throws {
        let wwan = try Parse.link(
            Build.link(
                Build.attribute(IFLA_IFNAME, "wwan0"),
                Build.attribute(IFLA_LINKINFO, Build.attribute(IFLA_INFO_KIND, "wwan"))
            )
        )
        #expect(wwan?.kind == "wwan")
        let wifi = try Parse.link(
            Build.link(
                Build.attribute(IFLA_IFNAME, "wlan0"),
                Build.attribute(IFLA_OPERSTATE, [5]),
                Build.attribute(IFLA_LINKMODE, [1])
            )
        )
        #expect(wifi?.operationalState == 5)
        let vlan = try Parse.link(
            Build.link(
                Build.attribute(IFLA_IFNAME, "eth0.7"),
                Build.attribute(IFLA_LINK, Build.integer(Int32(2))),
                Build.attribute(IFLA_LINKINFO, Build.attribute(IFLA_INFO_KIND, "vlan"))
            )
        )
        #expect(vlan?.parentIndex == 2)
    }

    @Test func `reads the bytes of the statistics`() throws {
        let statistics = ([1, 2, 3, 4] as [UInt64]).flatMap { Build.integer($0) }
        let link = try Parse.link(
            Build.link(Build.attribute(IFLA_IFNAME, "x0"), Build.attribute(IFLA_STATS64, statistics))
        )
        #expect(link?.receivedBytes == 3 && link?.transmittedBytes == 4)
        #expect(throws: NetlinkError.truncated(what: "attribute \(IFLA_STATS64)", offset: 28)) {
            try Parse.link(
                Build.link(Build.attribute(IFLA_IFNAME, "x0"), Build.attribute(IFLA_STATS64, statistics.dropLast(8)))
            )
        }
    }

    @Test(arguments: [
        Build.link(family: 7, Build.attribute(IFLA_IFNAME, "port")),
        Build.link(family: 10, Build.attribute(IFLA_IFNAME, "six")),
        Build.link(Build.attribute(IFLA_IFNAME, "wlan0"), Build.attribute(IFLA_WIRELESS, [1, 2, 3, 4])),
    ])
    func `ignores what is not about the device itself`(payload: [UInt8]) throws {
        #expect(try Parse.link(payload) == nil)
    }

    @Test(arguments: [
        (Array(Build.link().dropLast()), NetlinkError.truncated(what: "link", offset: 15)),
        (Build.link(index: 0), .malformed(what: "link index", offset: 4)),
        (Build.link(index: -1), .malformed(what: "link index", offset: 4)),
        (Build.link(), .malformed(what: "link without a name", offset: 0)),
        (Build.link(Build.attribute(IFLA_OPERSTATE, [])), .truncated(what: "attribute 16", offset: 20)),
        (Build.link(Build.attribute(IFLA_LINK, [1, 0, 0])), .truncated(what: "attribute 5", offset: 20)),
        (
            Build.link(Build.attribute(IFLA_MASTER, Build.integer(Int32(-1)))),
            .malformed(what: "attribute 10", offset: 20)
        ),
        (
            Build.link(Build.attribute(IFLA_LINKINFO, [9, 0, 1, 0])),
            .truncated(what: "attribute", offset: 20)
        ),
    ])
    func `refuses what contradicts itself`(payload: [UInt8], error: NetlinkError) {
        #expect(throws: error) { try Parse.link(payload) }
    }

    @Test func `cuts the name at its end and replaces what is not UTF-8`() throws {
        #expect(try Parse.link(Build.link(Build.attribute(IFLA_IFNAME, [101, 0, 102])))?.name == "e")
        #expect(try Parse.link(Build.link(Build.attribute(IFLA_IFNAME, [0xff, 101])))?.name == "\u{fffd}e")
    }
}
