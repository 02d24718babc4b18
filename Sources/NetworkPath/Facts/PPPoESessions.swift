import Netlink
import Posix

/// The PPPoE sessions of this network namespace.
///
/// A PPP line may be a VPN (PPTP, L2TP) or the line to a provider over a modem (PPPoE, RFC 2516). The kernel does not say which,
/// but lists the sessions of the latter.
enum PPPoESessions {
    /// How many there are; 0 also where the kernel has no PPPoE.
    static func count(procfs: String = "/proc/thread-self") -> Int {
        SmallFile.text("\(procfs)/net/pppoe").map(count(in:)) ?? 0
    }

    /// The number of sessions in a line each below a head line (the kernel's drivers/net/ppp/pppoe.c, `pppoe_seq_show`).
    static func count(in text: String) -> Int { max(0, text.split(separator: "\n").count - 1) }
}

extension RawState {
    /// The devices of the path, and PPP lines, whose facts are not known or may have changed; they are read next.
    ///
    /// Which PPP line is a session of PPPoE is known from the others, and may be known once one of these has gone.
    mutating func takeUnknownDevices() -> Set<Int32> {
        let lines = links.values.filter(\.isPPP).map(\.index)
        let relevant = relevantLinks.union(lines)
        defer { doubtfulFacts.subtract(relevant) }
        let unknown = relevant.filter { deviceFacts[$0] == nil || doubtfulFacts.contains($0) }
        return unknown.union(lines.filter { deviceFacts[$0]?.isPPPoE == nil })
    }

    /// Whether a PPP line is one of so many PPPoE sessions; nil: it is not known which lines are.
    func isPPPoE(_ link: Link, ofSessions sessions: Int) -> Bool? {
        let others = links.values.filter { $0.isPPP && $0.index != link.index }.map { deviceFacts[$0.index]?.isPPPoE }
        let left = sessions - others.count { $0 == true }
        guard left > 0 else { return false }
        return left > others.count { $0 == nil } ? true : nil
    }
}
