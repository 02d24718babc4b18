import Glibc
import Posix
import Testing

@Suite(.timeLimit(.minutes(3))) struct SystemResolverTests {
    private static let far = ContinuousClock.Instant.now + .seconds(3600)
    private static let soon = Duration.milliseconds(20)

    @Test(arguments: ["127.0.0.1", "::1", "2001:db8::1"]) func `answers literal addresses without a lookup`(
        _ text: String
    ) async throws {
        let lookup = HangingLookup(on: [text])
        let resolver = SystemResolver(lookup: lookup.addresses)
        let address = try #require(IPAddress(text))
        #expect(
            try await resolver.addresses(of: text, family: nil, until: Self.far) == [SocketAddress(address)]
        )
        let other: AddressFamily = address.family == .ipv4 ? .ipv6 : .ipv4
        await #expect(throws: LookupError.noAddress(EAI_NONAME)) {
            try await resolver.addresses(of: text, family: other, until: Self.far)
        }
        #expect(lookup.looked == [])
    }

    @Test(arguments: ["fe80::1%lo", "fe80::1%1"]) func `reads the device of a link-local address`(
        _ text: String
    ) async throws {
        let address = SocketAddress(try #require(IPAddress("fe80::1")), scope: 1)
        #expect(try await SystemResolver().addresses(of: text, family: nil, until: Self.far) == [address])
    }

    @Test(arguments: ["fe80::1%nhe-none", "fe80::1%0", "fe80::1%"]) func `misses a device that does not exist`(
        _ text: String
    ) async {
        await #expect(throws: LookupError.noDevice) {
            try await SystemResolver().addresses(of: text, family: nil, until: Self.far)
        }
    }

    @Test func `looks names up in the system's files, each address once`() async throws {
        let addresses = try await SystemResolver().addresses(of: "localhost", family: .ipv4, until: Self.far)
        #expect(addresses == [SocketAddress(try #require(IPAddress("127.0.0.1")))])
    }

    @Test(arguments: ["", "local\0host", String(repeating: "a", count: 64)]) func `finds no address of what is no name`(
        _ text: String
    ) async {
        await #expect(throws: LookupError.noAddress(EAI_NONAME)) {
            try await SystemResolver().addresses(of: text, family: nil, until: Self.far)
        }
    }

    @Test func `answers others while a thread hangs`() async throws {
        let lookup = HangingLookup(on: ["dead"])
        let resolver = SystemResolver(lookup: lookup.addresses)
        async let dead = resolver.addresses(of: "dead", family: nil, until: Self.far)
        await lookup.hangs(1)
        #expect(try await resolver.addresses(of: "alive", family: nil, until: Self.far) == HangingLookup.found)
        lookup.release()
        #expect(try await dead == HangingLookup.found)
    }

    @Test func `answers literal addresses, and fails names in time, while all threads hang`() async throws {
        let lookup = HangingLookup(on: ["dead"])
        let resolver = SystemResolver(maxThreads: 1, lookup: lookup.addresses)
        async let dead = resolver.addresses(of: "dead", family: nil, until: Self.far)
        await lookup.hangs(1)
        #expect(try await resolver.addresses(of: "127.0.0.1", family: nil, until: Self.far).count == 1)
        // Both what waits for the hanging lookup and what waits for a thread.
        for host in ["dead", "late"] {
            let deadline = ContinuousClock.now + Self.soon
            await #expect(throws: LookupError.noAddress(EAI_AGAIN)) {
                try await resolver.addresses(of: host, family: nil, until: deadline)
            }
            #expect(deadline <= .now)
        }
        lookup.release()
        #expect(try await dead == HangingLookup.found)
        #expect(try await resolver.addresses(of: "alive", family: nil, until: Self.far) == HangingLookup.found)
        // The late one was never looked up, and the dead one only once.
        #expect(lookup.looked == ["dead", "alive"])
    }

    @Test func `ends with its task`() async throws {
        let lookup = HangingLookup(on: ["dead"])
        let resolver = SystemResolver(lookup: lookup.addresses)
        let task = Task { try await resolver.addresses(of: "dead", family: nil, until: Self.far) }
        await lookup.hangs(1)
        task.cancel()
        await #expect(throws: LookupError.noAddress(EAI_NONAME)) { try await task.value }
    }

    @Test func `ends at once in a cancelled task, and after the deadline`() async throws {
        let lookup = HangingLookup(on: ["dead"])
        let resolver = SystemResolver(lookup: lookup.addresses)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await resolver.addresses(of: "dead", family: nil, until: Self.far)
        }
        await #expect(throws: LookupError.noAddress(EAI_NONAME)) { try await task.value }
        await #expect(throws: LookupError.noAddress(EAI_AGAIN)) {
            try await resolver.addresses(of: "dead", family: nil, until: .now - .seconds(1))
        }
    }

    @Test func `its threads end when there is nothing to look up`() async throws {
        // A thread that is not there for the next question would leave it without an answer.
        let resolver = SystemResolver(maxThreads: 1, lookup: HangingLookup(on: []).addresses)
        for number in 0..<1000 {
            #expect(try await resolver.addresses(of: "\(number)", family: nil, until: Self.far).count == 1)
        }
    }
}
