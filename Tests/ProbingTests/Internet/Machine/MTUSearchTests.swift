import Posix
import Testing

@testable import Probing

/// The search by halves, over paths whose MTU is known.
struct MTUSearchTests {
    /// What a path does with a packet of some size, the n-th of the search.
    private typealias Path = (_ size: Int, _ number: Int) -> PacketFate

    private func run(_ family: AddressFamily = .ipv4, _ path: Path) -> (mtu: Int?, sizes: [Int]) {
        var (search, sizes) = (MTUSearch(family), [Int]())
        while let size = search.next {
            sizes.append(size)
            search.take(path(size, sizes.count), of: size)
        }
        return (search.mtu, sizes)
    }

    @Test(arguments: AddressFamily.allCases)
    func `every MTU is found on a path that says nothing, with twelve packets at most`(family: AddressFamily) {
        for mtu in (family == .ipv4 ? 577 : 1281)...1500 {
            let found = run(family) { size, _ in size <= mtu ? .answered : .silent }
            #expect(found.mtu == mtu)
            #expect(found.sizes.count <= MTUSearch.mostPackets)
            #expect(found.sizes.allSatisfy { $0 <= 1500 })
        }
    }

    @Test func `a router that says the MTU of its next hop is believed, and checked`() {
        let found = run { size, _ in size <= 700 ? .answered : .tooLarge(mtu: 700) }
        #expect(found.mtu == 700 && found.sizes == [1500, 700])
        let behind = run { size, _ in size <= 650 ? .answered : size <= 700 ? .silent : .tooLarge(mtu: 700) }
        #expect(behind.mtu == 650)
        let lying = run { size, _ in size <= 700 ? .answered : .tooLarge(mtu: 65_000) }
        #expect(lying.mtu == 700)
    }

    @Test func `a device that carries less than 1500 bytes is asked for less`() {
        #expect(run { size, _ in size <= 1492 ? .answered : .tooLarge(mtu: nil) }.mtu == 1492)
    }

    @Test func `a full packet that passes is the end`() {
        let found = run { _, _ in .answered }
        #expect(found.mtu == 1500 && found.sizes == [1500])
    }

    @Test func `where nothing is answered the MTU is unknown`() {
        let found = run { _, _ in .silent }
        #expect(found.mtu == nil && found.sizes.count <= MTUSearch.mostPackets)
        #expect(run { _, _ in .unknown }.sizes == [1500])
    }

    @Test func `one packet that is lost by chance gives no wrong MTU`() {
        for mtu in [700, 1280, 1400, 1492, 1500] {
            for lost in 1...MTUSearch.mostPackets {
                let found = run { size, number in size <= mtu && number != lost ? .answered : .silent }
                #expect(found.mtu == nil || found.mtu == mtu)
            }
        }
    }
}

/// When the MTU of the path is measured, and for how long it is known.
struct PathMTUTests {
    private func online(isExpensive: Bool = false) -> MachineRun {
        var run = MachineRun()
        run.world = .small
        run.send(.pathChanged(.make(isExpensive: isExpensive)))
        run.advance(to: 20)
        return run
    }

    @Test func `it is measured once when full packets vanish, and forgotten when they pass`() throws {
        let literal = try #require(IPAddress("1.1.1.1"))
        var run = online()
        #expect(run.state == .degraded && run.mtuSearches == [[.ipv4: literal]])
        #expect(run.verdict?.pathMTU == [:])
        run.send(.mtuMeasured(.ipv4, 1400))
        #expect(run.verdict?.pathMTU == [.ipv4: 1400])
        run.advance(by: 300)
        #expect(run.mtuSearches.count == 1 && run.verdict?.pathMTU == [.ipv4: 1400])
        run.world = .good
        run.advance(by: 90)
        #expect(run.state == .online && run.verdict?.pathMTU == [:])
        run.send(.mtuMeasured(.ipv4, 1400))
        #expect(run.verdict?.pathMTU == [:], "a measurement that ends late")
    }

    @Test func `another path is measured anew`() {
        var run = online()
        run.send(.mtuMeasured(.ipv4, 1400))
        run.send(.pathChanged(.make(2)))
        #expect(run.verdict?.pathMTU == [.ipv4: 1400], "the last verdict remains until the first one on the new path")
        run.advance(by: 20)
        #expect(run.mtuSearches.count == 2 && run.verdict?.pathMTU == [:])
    }

    @Test func `nothing is sent for it on an expensive path`() {
        let run = online(isExpensive: true)
        #expect(run.state == .degraded && run.mtuSearches.isEmpty)
    }

    @Test func `two families are measured, each over its own literal`() {
        var run = MachineRun()
        run.world = .small
        run.send(.pathChanged(.make(families: [.ipv4, .ipv6])))
        run.advance(to: 20)
        #expect(Set(run.mtuSearches.last.map { Array($0.keys) } ?? []) == [.ipv4, .ipv6])
        run.send(.mtuMeasured(.ipv6, 1300))
        #expect(run.verdict?.pathMTU == [.ipv6: 1300])
    }
}
