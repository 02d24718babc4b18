import Posix
import Statistics

/// The largest packets that the path carries, of the families on which full ones vanish.
struct PathMTU: Sendable {
    /// Of Ethernet, which nearly all paths of the internet carry at most.
    static let largest = 1500

    /// Bytes of an IP packet.
    private(set) var known: [AddressFamily: Int] = [:]
    private var asked: Set<AddressFamily> = []

    /// Measures each family once when full packets vanish on it, unless the path is expensive or constrained.
    mutating func follow(
        _ trackers: [AddressFamily: FamilyTracker],
        over path: InternetPath?,
        _ configuration: InternetConfiguration
    ) -> [InternetStateMachine.Action] {
        let isFree = path.map { !$0.isExpensive && !$0.isConstrained } ?? false
        let families = isFree ? Set(trackers.filter { $0.value.finding == .smallPackets }.keys) : []
        guard families != asked else { return [] }
        let isMore = !families.isSubset(of: asked)
        (asked, known) = (families, known.filter { families.contains($0.key) })
        let literals = configuration.literals.map(\.ip).filter {
            families.contains($0.family) && known[$0.family] == nil
        }
        guard isMore, !literals.isEmpty else { return [] }
        return [.measureMTU(Dictionary(literals.map { ($0.family, $0) }) { first, _ in first })]
    }

    /// Takes a result; nil: it was not found.
    mutating func measured(_ mtu: Int?, over family: AddressFamily) {
        if asked.contains(family) { known[family] = mtu }
    }
}

/// What became of a packet that must not be fragmented.
package enum PacketFate: Sendable, Equatable {
    /// As large a reply arrived.
    case answered
    case silent
    /// A router, or this host, cannot forward it; the MTU of the next hop where it is known.
    case tooLarge(mtu: Int?)
    /// This says nothing about the size.
    case unknown
}

/// Finds the largest packet that is answered, by halves: a pure value.
///
/// A packet may also be lost by chance: the smallest size that was silent is tried once more.
struct MTUSearch: Sendable {
    /// 1500, ten halves of what is between it and the least, and the one that confirms.
    static let mostPackets = 12
    static let timeout = Duration.seconds(1)

    /// Every path carries this: RFC 1122 section 3.3.3 in practice, RFC 8200 section 5.
    private static func least(_ family: AddressFamily) -> Int { family == .ipv4 ? 576 : 1280 }

    /// The largest size that is carried; at first the least, of which nothing is known.
    private var carried: Int
    private var isAnswered = false
    /// The smallest that is not, and whether that is certain.
    private var refused = PathMTU.largest + 1
    private var isCertain = true
    private var hint: Int?
    private var packets = 0
    private var isOver = false

    init(_ family: AddressFamily) { carried = Self.least(family) }

    /// The size to send next; nil: the search is over.
    var next: Int? {
        guard !isOver, packets < Self.mostPackets else { return nil }
        if let hint { return hint }
        if packets == 0 { return PathMTU.largest }
        if refused - carried > 1 { return (carried + refused) / 2 }
        return !isAnswered ? carried : isCertain ? nil : refused
    }

    /// The result, once the search is over; nil: none, such as where nothing was answered.
    var mtu: Int? { next == nil && !isOver && isAnswered && isCertain && refused - carried == 1 ? carried : nil }

    mutating func take(_ fate: PacketFate, of size: Int) {
        packets += 1
        hint = nil
        switch fate {
        case .answered where size >= refused: isOver = true
        case .answered: (carried, isAnswered) = (size, true)
        case .silent where size == carried: isOver = true
        case .silent: (refused, isCertain) = (size, size == refused)
        case .tooLarge where isAnswered && size <= carried: isOver = true
        case .tooLarge(let mtu):
            (refused, isCertain) = (size, true)
            guard let mtu, (carried..<size).contains(mtu) else { return }
            (refused, hint) = (mtu + 1, mtu)
        case .unknown: isOver = true
        }
    }
}

extension MTUSearch {
    /// The MTU of the path to an address, and what it cost; nil: it was not found.
    static func run(to address: IPAddress, with pinging: any Pinging) async -> (mtu: Int?, traffic: ByteCounts) {
        var (search, traffic) = (MTUSearch(address.family), ByteCounts())
        while let size = search.next {
            let fate = await pinging.send(size, to: address, timeout: timeout)
            let message = UInt64(size - address.family.headerBytes)
            traffic.transmitted += message
            if fate == .answered { traffic.received += message }
            search.take(fate, of: size)
        }
        return (search.mtu, traffic)
    }
}
