import Netlink
import Posix

extension RawState {
    /// The device as the library's users see it; nil where it is not recorded.
    func interface(_ index: Int32) -> Interface? {
        guard let link = links[index] else { return nil }
        let nature = interfaceClass(of: link)
        let speed = nature.isVirtual ? nil : deviceFacts[index]?.speedMegabits
        return Interface(
            name: link.name,
            index: Int(index),
            type: nature.type ?? inheritedType(link),
            isVirtual: nature.isVirtual,
            isTunnel: nature.isTunnel,
            isTether: nature.isTether,
            linkSpeed: speed.map { UInt64($0) * 1_000_000 }
        )
    }

    /// The type of what a VLAN, bond or bridge stands on.
    private func inheritedType(_ link: Link) -> Interface.InterfaceType {
        let bottom = UnderlayResolver(state: self).resolve(link.index).chain.last.flatMap { links[$0] }
        if let type = bottom.flatMap({ interfaceClass(of: $0).type }) { return type }
        return link.hardwareType == HardwareType.ethernet ? .wiredEthernet : .other
    }

    /// From where the devices are seen: a container's cable ends in another network namespace, and it has little else.
    func viewpoint(of path: [Int32]) -> Path.Viewpoint {
        let passed = path.compactMap { links[$0] }
        if passed.contains(where: { $0.parentNamespace != nil }) { return .container }
        guard passed.allSatisfy(isContainerDevice) else { return .host }
        let others = links.values.filter { !$0.isLoopback }
        return !others.isEmpty && others.allSatisfy(isContainerDevice) ? .container : .host
    }

    private func isContainerDevice(_ link: Link) -> Bool {
        InterfaceClassifier.cables.contains(link.kind ?? "") || interfaceClass(of: link).isTunnel
    }
}
