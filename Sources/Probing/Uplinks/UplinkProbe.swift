import Glibc
package import Posix
package import Statistics

/// What a socket is bound to so that its packets leave through one uplink.
package struct UplinkBinding: Sendable, Hashable {
    package var device: String
    /// Of each family that is probed; nil: the kernel's choice.
    package var sources: [AddressFamily: IPAddress?]

    package init(device: String, sources: [AddressFamily: IPAddress?]) {
        (self.device, self.sources) = (device, sources)
    }
}

/// The result of asking the internet once through one uplink.
package struct UplinkRound: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case answered
        case silent
        /// Nothing follows: a limit of this machine, or the addresses themselves are silent.
        case inconclusive
    }

    package var verdict: Verdict
    /// Of each packet that was sent, nil for a lost one; where no ping is answered and a connection is, only of that.
    package var outcomes: [Duration?]
    /// In bytes of IP packets.
    package var traffic: ByteCounts

    package init(_ verdict: Verdict, outcomes: [Duration?] = [], traffic: ByteCounts = ByteCounts()) {
        (self.verdict, self.outcomes, self.traffic) = (verdict, outcomes, traffic)
    }
}

/// Asks addresses of the internet for an answer through one uplink, without a name and without TLS.
///
/// Two echo requests at most to an address of each family; a TCP handshake where both are lost, since some networks drop ICMP. A round
/// costs at most 1 kB.
package struct UplinkProbe: Sendable {
    let readiness: Readiness
    let openSocket: SocketOpener
    let timeout: Duration

    /// - Parameters:
    ///   - readiness: the loop that receives.
    ///   - openSocket: opens the sockets; the default does so in the namespace of the calling thread.
    ///   - timeout: for each packet; the default is longer than the round trip over a geostationary satellite.
    package init(
        readiness: Readiness,
        openSocket: @escaping SocketOpener = Descriptor.openSocket,
        timeout: Duration = .seconds(2)
    ) {
        (self.readiness, self.openSocket, self.timeout) = (readiness, openSocket, timeout)
    }

    /// - Parameters:
    ///   - binding: nil: as any program's packets, over the path in use.
    ///   - addresses: the first of each family is asked.
    /// - Returns: answered if one family is.
    @concurrent
    package func round(through binding: UplinkBinding?, to addresses: [SocketAddress]) async -> UplinkRound {
        let families = AddressFamily.allCases.filter { binding?.sources.keys.contains($0) ?? true }
        let asked = families.compactMap { family in addresses.first { $0.ip.family == family } }
        return await withTaskGroup(of: UplinkRound.self) { group in
            for address in asked { group.addTask { await ask(address, through: binding) } }
            return await group.reduce(UplinkRound(.inconclusive)) { $0.joined(with: $1) }
        }
    }

    private func ask(_ address: SocketAddress, through binding: UplinkBinding?) async -> UplinkRound {
        let family = address.ip.family
        guard isPermitted(family, on: binding?.device) else { return UplinkRound(.inconclusive) }
        let opener = opener(bindingTo: binding?.sources[family]?.flatMap(\.self))
        let pinger = Pinger(readiness: readiness, openSocket: opener) { _ in }
        var round = UplinkRound(.inconclusive)
        for _ in 0..<2 {
            let result = await pinger.ping(
                SocketAddress(address.ip),
                name: "uplink",
                device: binding?.device,
                until: .now + timeout,
                allowsHandshake: false
            )
            round.add(result, family)
            if round.verdict == .answered || Task.isCancelled { return round }
        }
        let handshake = await HandshakeTimer(readiness: readiness, openSocket: opener)
            .connect(to: address, device: binding?.device, until: .now + timeout)
        round.add(handshake, family)
        return round
    }

    /// Whether a socket may be bound to the device: before Linux 5.7 only with CAP_NET_RAW (sock_bindtoindex in net/core/sock.c).
    private func isPermitted(_ family: AddressFamily, on device: String?) -> Bool {
        guard let device else { return true }
        do throws(SystemError) {
            let descriptor = try openSocket(family.number, SocketType.stream, Int32(IPPROTO_TCP))
            try descriptor.restrict(toDevice: device)
            return true
        } catch {
            return error.code != EPERM
        }
    }

    private func opener(bindingTo source: IPAddress?) -> SocketOpener {
        guard let source else { return openSocket }
        return { [openSocket] (family, type, number) throws(SystemError) in
            let descriptor = try openSocket(family, type, number)
            let code = SocketAddress(source).withPointer { bind(descriptor.number, $0, $1) == 0 ? 0 : errno }
            guard code == 0 else { throw SystemError(call: "bind to \(source)", code: code) }
            return descriptor
        }
    }
}

extension UplinkRound {
    /// Bytes of a SYN with the options of Linux, and of a segment without any, without the IP header.
    private static let (synBytes, segmentBytes): (UInt64, UInt64) = (40, 20)

    /// With another family's: one that is answered is enough.
    fileprivate func joined(with other: UplinkRound) -> UplinkRound {
        var joined = self
        joined.traffic += other.traffic
        switch (verdict, other.verdict) {
        case (.answered, .answered): joined.outcomes += other.outcomes
        case (.answered, _): break
        case (_, .answered): (joined.verdict, joined.outcomes) = (.answered, other.outcomes)
        case (.silent, _), (_, .silent): joined.verdict = .silent
        case (.inconclusive, .inconclusive): break
        }
        return joined
    }

    fileprivate mutating func add(_ ping: ProbeResult, _ family: AddressFamily) {
        if ping.sentBytes > 0 { traffic.transmitted += ping.sentBytes + UInt64(family.headerBytes) }
        guard !ping.isCancelled, ping.inconclusive == nil, ping.failure != .local else { return }
        outcomes.append(ping.rtt)
        verdict = ping.isSuccess ? .answered : .silent
        if ping.isSuccess { traffic.received += ping.receivedBytes + UInt64(family.headerBytes) }
    }

    fileprivate mutating func add(_ handshake: TCPHandshake, _ family: AddressFamily) {
        let header = UInt64(family.headerBytes)
        // Lost pings alone say nothing: some networks drop them.
        guard handshake.failure != .local else {
            verdict = .inconclusive
            return
        }
        // Linux sends a SYN again after 1 s.
        traffic.transmitted += (handshake.isAnswered ? 1 : 2) * (Self.synBytes + header)
        // A refusal is no answer of the internet: a firewall on the way sends a reset or an ICMP error, too.
        guard handshake.failure == nil else {
            verdict = .silent
            return
        }
        (verdict, outcomes) = (.answered, [handshake.rtt])
        traffic.transmitted += Self.segmentBytes + header
        traffic.received += Self.synBytes + header
    }
}
