import Netlink
import Posix

extension RawState {
    /// Whether packets to the world can carry this source address and get an answer.
    ///
    /// An address that is not recorded (yet) is taken at the kernel's word.
    func isUsableSource(_ source: IPAddress) -> Bool {
        guard !source.isLinkLocal, !source.isLoopback, !source.isUnspecified else { return false }
        guard source.family == .ipv6 else { return true }
        let recorded = addresses.values.filter { $0.address == source }
        return recorded.isEmpty || recorded.contains(where: \.isUsableSource)
    }

    /// Whether the device has an address of its own that reaches beyond the link.
    func hasUsableAddress(on index: Int32) -> Bool {
        addresses.values.contains {
            $0.interfaceIndex == index && $0.isUsableSource && isUsableSource($0.address)
        }
    }
}

extension Address {
    /// Global in scope, and for IPv6 neither tentative, duplicate nor deprecated.
    fileprivate var isUsableSource: Bool {
        scope == 0 && (address.family == .ipv4 || flags & AddressFlag.unusable == 0)
    }
}

extension IPAddress {
    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        family == .ipv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// 0.0.0.0 or ::.
    fileprivate var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
}
