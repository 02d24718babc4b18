import Coordination
import Glibc
package import Posix
package import Statistics

/// What became of one probe to a hop.
package enum HopOutcome: Sendable, Equatable {
    /// - Parameters:
    ///   - by: whoever answered: the router where the hop limit ended, or the destination.
    ///   - roundTrip: nil: several probes were under way, and it is unknown which was answered.
    ///   - isDestination: the way ends here.
    case answered(by: IPAddress, roundTrip: Duration?, isDestination: Bool)
    /// A nearer one sent it back, or one that does not forward it.
    case refused(Refusal)
    /// No answer in time, or cancelled.
    case silent
    /// The kernel did not accept it, or its answer could be taken for that of an earlier one.
    case unsent(SystemError)
}

/// Sends probes to hops.
package protocol HopProbing: Sendable {
    /// Sends one datagram whose hop limit ends at that distance; never throws, as a failure is an outcome.
    func probe(_ distance: Int, to destination: IPAddress, timeout: Duration) async -> HopOutcome
    /// All so far, in bytes of IP packets.
    var traffic: ByteCounts { get }
}

/// Sends UDP datagrams with a small hop limit, and times the ICMP errors that come back, without a privilege.
///
/// One socket of each family sends them all, to the same ports each time, so that those to a hop take the same of several
/// equal paths.
package final class HopProbe: HopProbing {
    private let device: String?
    private let readiness: Readiness
    private let openSocket: SocketOpener
    private let refusals: RefusalLog
    private let sockets = Locked<[AddressFamily: HopSocket]>([:])
    private let counted = Locked(ByteCounts())

    /// A probe that opens its sockets on first use.
    ///
    /// - Parameters:
    ///   - device: bound to it; nil: the kernel chooses.
    ///   - readiness: the loop that receives.
    ///   - refusals: gets the errors that are no answers, also those that come later than their probe waits.
    ///   - openSocket: opens the sockets; the default does so in the namespace of the calling thread.
    package init(
        device: String? = nil,
        readiness: Readiness,
        refusals: RefusalLog,
        openSocket: @escaping SocketOpener = Descriptor.openSocket
    ) {
        (self.device, self.readiness, self.refusals, self.openSocket) = (device, readiness, refusals, openSocket)
    }

    deinit {
        for socket in sockets.withLock({ Array($0.values) }) { socket.close() }
    }

    package var traffic: ByteCounts { counted.read { $0 } }

    package func probe(_ distance: Int, to destination: IPAddress, timeout: Duration) async -> HopOutcome {
        let outcome: HopOutcome
        do throws(SystemError) {
            outcome = await (try socket(destination.family)).probe(distance, to: destination, timeout: timeout)
        } catch {
            return .unsent(error)
        }
        if case .unsent = outcome { return outcome }
        counted.withLock { $0.transmitted &+= HopBytes.sent(destination.family) }
        return outcome
    }

    /// The shared socket, opened on first use, and anew where its device is another one now.
    private func socket(_ family: AddressFamily) throws(SystemError) -> HopSocket {
        if let socket = sockets.withLock({ $0[family] }), !socket.isBroken { return socket }
        let new = try HopSocket(
            family,
            device: device,
            openSocket: openSocket,
            readiness: readiness,
            onRefusal: { [refusals] in refusals.note($0) },
            onReceived: { [counted] bytes in counted.withLock { $0.received &+= bytes } }
        )
        // Another task may have opened one meanwhile.
        let (kept, dropped) = sockets.withLock { sockets in
            let old = sockets[family]
            if let old, !old.isBroken { return (old, new as HopSocket?) }
            sockets[family] = new
            return (new, old)
        }
        dropped?.close()
        return kept
    }
}
