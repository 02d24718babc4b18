import CLinux
import Glibc
package import Posix

/// What the kernel knows of the way to an address on a link (`NUD_…` of linux/neighbour.h).
package struct NeighbourState: Sendable, Hashable {
    package var rawValue: UInt16
    /// How long ago it answered last, also by a connection that got on (`ndm_confirmed`); nil: not known.
    ///
    /// The kernel takes it for reachable for up to 45 s after that, and asks nothing.
    package var confirmedAgo: Duration?

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Whether a hardware address is known: it answered, and has not failed to answer since.
    ///
    /// Of an entry that is being checked again (stale, delay, probe) the answer is still open.
    package var isReachable: Bool {
        rawValue & UInt16(NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE) != 0
    }

    /// The length of `struct ndmsg`.
    private static let fixedPart = 12

    /// Reads the payload of RTM_NEWNEIGH.
    package init(parsing payload: RawSpan) throws(NetlinkError) {
        guard payload.byteCount >= Self.fixedPart else {
            throw .truncated(what: "neighbour", offset: payload.byteCount)
        }
        rawValue = try payload.load(UInt16.self, at: 8, of: "neighbour")
        var attributes = AttributeReader(after: Self.fixedPart, of: payload)
        while let attribute = try attributes.next(in: payload) {
            // struct nda_cacheinfo begins with it, in USER_HZ, which is 100 on all architectures of today.
            guard attribute.type == NDA_CACHEINFO else { continue }
            confirmedAgo = .milliseconds(Int64(try attribute.load(UInt32.self, in: payload)) * 10)
        }
    }
}

extension RequestSocket {
    /// The state of one neighbour; nil if the kernel has no entry for it.
    ///
    /// Kernels before 5.0 answer only dumps of all neighbours: they refuse this request.
    package mutating func neighbour(
        _ address: IPAddress,
        interfaceIndex: Int32
    ) throws(NetlinkError) -> NeighbourState? {
        var request = Request(type: RTM_GETNEIGH)
        // struct ndmsg
        request.append(UInt8(truncatingIfNeeded: address.family.number))
        request.append(UInt8(0))
        request.append(UInt16(0))
        request.append(interfaceIndex)
        request.append(UInt32(0))  // state, flags and type: any
        request.append(attribute: Int(NDA_DST), address.bytes)
        var state: NeighbourState?
        do {
            _ = try perform(request) { (message, payload) throws(NetlinkError) in
                guard message.type == RTM_NEWNEIGH else { throw .unexpected(type: message.type) }
                state = try NeighbourState(parsing: payload)
            }
        } catch .kernel(ENOENT, _) {
            return nil
        } catch .kernel(ENODEV, _) {
            return nil
        }
        return state
    }
}
