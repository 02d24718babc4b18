import Netlink
import Posix
import Testing

@testable import Probing

struct PassiveEvidenceTests {
    private let start = SuspendingClock.now

    /// The reports on dumps that are 20 s apart.
    private func reports(own: Set<UInt32> = [], _ dumps: [TCPFlow]...) -> [PassiveReport] {
        var evidence = PassiveEvidence(interval: .seconds(20), global: .standard)
        return dumps.enumerated().map { index, flows in
            evidence.take(flows, own: own, at: start + .seconds(20 * index)).report
        }
    }

    @Test func `Received segments are proof for their family only`() {
        let reports = reports(
            [.make(1, in: 5), .make(2, remote: "2606:4700::1", in: 5)],
            [.make(1, in: 6), .make(2, remote: "2606:4700::1", in: 5)],
            [.make(1, in: 6), .make(2, remote: "2606:4700::1", in: 9)],
            [.make(1, in: 6), .make(2, remote: "2606:4700::1", in: 9)]
        )
        #expect(reports.map(\.receivedFamilies) == [[], [.ipv4], [.ipv6], []])
    }

    @Test func `A new flow is proof only by the time of its last answer`() {
        let reports = reports(
            [.make(1, in: 1000, answer: .seconds(19))],
            [
                .make(1, in: 1000, answer: .seconds(39)),
                .make(2, in: 1000, out: 1000, again: 1000, answer: .seconds(20)),
            ],
            [.make(1, in: 1000), .make(2, in: 1000, out: 1000, again: 1000), .make(3, answer: .zero)],
            [.make(4, in: 1000, answer: nil)]
        )
        #expect(reports.map(\.receivedFamilies) == [[.ipv4], [], [.ipv4], []])
        // Its segments may all be older than the dump before.
        #expect(reports.allSatisfy { $0.retransmittedShare == nil && $0.stalledFamilies.isEmpty })
    }

    @Test func `Own sockets and peers outside the internet do not count`() {
        let reports = reports(
            own: [7],
            [.make(1, inode: 7, in: 1), .make(2, remote: "192.168.1.1", in: 1), .make(3, remote: "fe80::1", in: 1)],
            [.make(1, inode: 7, in: 9), .make(2, remote: "192.168.1.1", in: 9), .make(3, remote: "fe80::1", in: 9)]
        )
        #expect(reports.map(\.receivedFamilies) == [[], []])
        #expect(reports.map(\.medianRTT) == [nil, nil])
    }

    @Test func `a connection over another uplink neither proves nor doubts the path`() throws {
        let (own, other) = (try #require(IPAddress("9.9.9.9")), try #require(IPAddress("9.9.9.8")))
        var evidence = PassiveEvidence(interval: .seconds(20), global: .standard)
        func take(_ flow: TCPFlow, from local: IPAddress, at second: Int) -> PassiveReport {
            var flow = flow
            flow.local = local
            let addresses: [IPAddress: Set<Int>] = [own: [2], other: [3]]
            return evidence.take([flow], own: [], addresses: addresses, at: start + .seconds(second)).report
        }
        let stalled = TCPFlow.make(2, timeouts: 2, unansweredFor: .seconds(4))
        for (devices, counts) in [(nil, true), ([2], false), ([2, 3], true)] as [(Set<Int>?, Bool)] {
            evidence = PassiveEvidence(interval: .seconds(20), global: .standard)
            evidence.devices = devices
            #expect(take(.make(1, answer: .zero), from: own, at: 0).receivedFamilies == [.ipv4])
            #expect(take(.make(1, answer: .zero), from: other, at: 20).receivedFamilies == (counts ? [.ipv4] : []))
            #expect(take(stalled, from: other, at: 40).failingSince.isEmpty == !counts)
        }
        // Such as an address of the loopback, or one that has just gone.
        evidence.devices = [2]
        let unknown = try #require(IPAddress("9.9.9.7"))
        #expect(take(.make(3, answer: .zero), from: unknown, at: 60).receivedFamilies == [.ipv4])
    }

    @Test func `an address of the loopback is on no device, as a service may have its own there`() throws {
        let (service, shared) = (try #require(IPAddress("9.9.9.9")), try #require(IPAddress("9.9.9.8")))
        let devices: [(index: Int32, address: IPAddress)] = [(1, service), (2, shared), (3, shared)]
        let addresses = devices.map { Address(interfaceIndex: $0.index, address: $0.address, prefixLength: 32) }
        let dump = FlowSource.Dump([], own: [7], addresses)
        #expect(dump.devices == [shared: [2, 3]])
        #expect(dump.neighbours.contains { $0.contains(service) } && dump.own == [7], "it is no peer on the internet")
    }

    @Test func `peers on this host's own links do not count, whatever their address`() throws {
        var evidence = PassiveEvidence(interval: .seconds(20), global: .standard)
        let near = AddressRange(around: try #require(IPAddress("9.9.9.9")), prefixLength: 24)
        let flows: [TCPFlow] = [
            .make(1, remote: "9.9.9.200", answer: .zero), .make(2, remote: "9.9.9.9", answer: .zero),
        ]
        #expect(evidence.take(flows, own: [], neighbours: [near], at: start).report.receivedFamilies == [])
        let far = evidence.take([.make(3, answer: .zero)], own: [], neighbours: [near], at: start + .seconds(20))
        #expect(far.report.receivedFamilies == [.ipv4])
    }

    @Test func `Segments received between two dumps have a round trip, however coarse the clock of the kernel`() {
        var evidence = PassiveEvidence(interval: .seconds(20), global: .standard)
        _ = evidence.take([.make(1, in: 5)], own: [], at: start)
        // In jiffies of 4 ms an answer of 1 ms ago may be 4 ms old.
        let taken = evidence.take([.make(1, in: 6, answer: .milliseconds(4))], own: [], at: start + .milliseconds(3))
        #expect(taken.roundTrips == [.milliseconds(10)])
    }

    @Test func `counters may wrap, go back or be missing`() {
        let reports = reports(
            [.make(1, in: .max, out: .max - 4, again: .max)],
            [.make(1, in: 0, out: 15, again: 3)],  // wrapped
            [.make(1, in: 0, out: 3, again: 0)],  // begun anew
            [.make(1, in: nil, out: nil, again: nil)],
            [.make(1, in: 1, out: 100, again: 90)]
        )
        #expect(reports.map(\.receivedFamilies) == [[], [.ipv4], [], [], []])
        #expect(reports.map(\.retransmittedShare) == [nil, 0.2, nil, nil, nil])
        #expect(reports.allSatisfy { $0.stalledFamilies.isEmpty })
    }

    @Test func `A stall is ten unanswered segments, of which nearly all of the newest are retransmissions`() {
        let reports = reports(
            [.make(1, in: 5, out: 0)],
            [.make(1, in: 5, out: 9, again: 3)],  // nine so far
            [.make(1, in: 5, out: 13, again: 6)],  // three of four
            [.make(1, in: 5, out: 18, again: 10)],  // four of five
            [.make(1, in: 5, out: 18, again: 10)],  // nothing sent, nothing known
            [.make(1, in: 6, out: 23, again: 15)],  // an answer
            [.make(1, in: 6, out: 32, again: 24)],  // nine since
            [.make(1, in: 6, out: 33, again: 25)]
        )
        #expect(reports.map(\.stalledFamilies) == [[], [], [], [.ipv4], [], [], [], [.ipv4]])
    }

    @Test func `Each family stalls by itself, over all its flows`() {
        let reports = reports(
            [.make(1), .make(2), .make(3, remote: "2606:4700::1")],
            [.make(1, out: 5, again: 5), .make(2, out: 5, again: 5), .make(3, remote: "2606:4700::1", in: 1, out: 10)]
        )
        #expect(reports[1].stalledFamilies == [.ipv4])
        #expect(reports[1].receivedFamilies == [.ipv6])
        #expect(reports[1].retransmittedShare == 0.5)
    }

    @Test func `A share needs ten segments and is at most 1`() {
        let reports = reports(
            [.make(1)],
            [.make(1, in: 1, out: 9, again: 9)],
            [.make(1, in: 2, out: 19, again: 10)],
            [.make(1, in: 3, out: 29, again: 30)]
        )
        #expect(reports.map(\.retransmittedShare) == [nil, nil, 0.1, 1])
    }

    @Test func `The round trips are those of flows with an answer since the last dump`() {
        var evidence = PassiveEvidence(interval: .seconds(20), global: .standard)
        let first = evidence.take(
            [
                .make(1, rtt: .milliseconds(30), answer: .seconds(19)),
                .make(2, rtt: .milliseconds(10), answer: .zero),
                .make(3, rtt: .milliseconds(20), answer: .seconds(5)),
                .make(4, rtt: .milliseconds(40), answer: .seconds(20)),
                .make(5, rtt: nil, answer: .zero),
                .make(2, rtt: .milliseconds(99), answer: .zero),  // the same once more
            ],
            own: [],
            at: start
        )
        #expect(first.roundTrips == [.milliseconds(10), .milliseconds(20), .milliseconds(30)])
        #expect(first.report.medianRTT == .milliseconds(20))
        #expect(first.report.at == start)
        // One second later, as after a request in between: only new segments count.
        let second = evidence.take(
            [.make(1, answer: .seconds(2)), .make(2, answer: .milliseconds(999))],
            own: [],
            at: start + .seconds(1)
        )
        #expect(second.roundTrips == [.milliseconds(10)])
    }

    @Test func `A connection whose segment was sent again twice is failing since it was sent, unless another receives`()
    {
        let lost = TCPFlow.make(1, answer: .seconds(4), timeouts: 2, unansweredFor: .seconds(3))
        let reports = reports(
            [lost],
            [lost, .make(2, answer: .seconds(2))],
            [lost, .make(2, answer: .seconds(5)), .make(3, remote: "2606:4700::1", answer: .zero)],
            [.make(1, answer: .seconds(4), timeouts: 1, unansweredFor: .seconds(3))]
        )
        #expect(reports[0].failingSince == [.ipv4: start - .seconds(3)])
        #expect(reports[1].failingSince.isEmpty)
        #expect(reports[2].failingSince == [.ipv4: start + .seconds(37)])
        #expect(reports[3].failingSince.isEmpty)
    }

    @Test func `A dump soon after another keeps the last share, until there are enough segments`() {
        var evidence = PassiveEvidence(interval: .seconds(20), global: .standard)
        let shares = [(0, 0, 0), (20, 20, 10), (22, 24, 14), (24, 30, 15), (40, 31, 15), (44, 31, 15)].map {
            second,
            out,
            again in
            evidence.take(
                [.make(1, in: UInt32(second), out: UInt32(out), again: UInt32(again))],
                own: [],
                at: start + .seconds(second)
            ).report.retransmittedShare
        }
        #expect(shares == [nil, 0.5, 0.5, 0.5, 0.5, nil])
    }

    @Test func `The kernel's count of retransmissions is found by its name`() {
        let text =
            "Ip: Forwarding\nIp: 1\nTcp: RtoMin InSegs RetransSegs InErrs\nTcp: 200 5 17 0\nUdp: InDatagrams\nUdp: 1\n"
        #expect(RetransmissionCounter.count(in: text) == 17)
        for broken in ["", "Tcp: RetransSegs\n", "Tcp: A RetransSegs\nTcp: 1\n", "Tcp: RetransSegs\nTcp: x\n"] {
            #expect(RetransmissionCounter.count(in: broken) == nil)
        }
        var counter = RetransmissionCounter(procfs: "/proc/thread-self")
        #expect(counter.increase() == 0)
    }
}
