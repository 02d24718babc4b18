import Glibc
import Testing

@testable import Posix

@Suite("What is kept of the process's descriptors")
struct DescriptorReserveTests {
    @Test(arguments: [
        (Int32(1024), Int32(16), Int32(800), Int32(864)), (65_536, 32, 65_216, 65_280), (256, 4, 136, 168),
    ])
    func `The reserve is 64, what the lookups hold and some connections`(
        limit: Int32,
        lookups: Int32,
        first: Int32,
        firstForConnections: Int32
    ) {
        let reserve = DescriptorReserve(limit: limit)

        #expect(reserve.lookups == lookups)

        #expect(!reserve.contains(first - 1))
        #expect(reserve.contains(first))
        #expect(reserve.contains(limit - 1))
        #expect(!reserve.containsConnection(firstForConnections - 1))
        #expect(reserve.containsConnection(firstForConnections))
    }

    @Test(arguments: [(Int32(128), Int32(64)), (127, 64), (100, 50), (64, 32), (1, 1), (0, 0)])
    func `It is half of a small limit at most, so that something may be opened`(limit: Int32, first: Int32) {
        let reserve = DescriptorReserve(limit: limit)

        #expect(!reserve.contains(first - 1))
        #expect(reserve.contains(first))
        #expect(reserve.containsConnection(limit))
    }

    @Test func `An unlimited process has a reserve that no descriptor reaches`() {
        let reserve = DescriptorReserve(softLimit: .max)

        #expect(reserve.limit == .max)
        #expect(!reserve.contains(1_000_000))
    }

    @Test(arguments: [
        (
            "Max open files            1024                 524288               files     ", rlim_t(1024),
            rlim_t(524_288)
        ),
        ("Max open files            64                   unlimited            files     ", 64, .max),
    ])
    func `The limits are read from procfs where the system call is denied`(line: String, soft: rlim_t, hard: rlim_t) {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\(line)\n"
        let limits = DescriptorReserve.limits(in: text)

        #expect(limits?.rlim_cur == soft)
        #expect(limits?.rlim_max == hard)
        #expect(DescriptorReserve.limits(in: "Max open files\n") == nil)
    }

    @Test func `The soft limit is raised to the hard one`() async {
        await #expect(processExitsWith: .success) {
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limits = rlimit()
            #expect(getrlimit(resource, &limits) == 0)
            limits.rlim_max = min(limits.rlim_max, 4096)
            limits.rlim_cur = 300
            #expect(setrlimit(resource, &limits) == 0)
            #expect(DescriptorReserve() == DescriptorReserve(limit: 300))

            #expect(DescriptorReserve.raiseLimit() == DescriptorReserve(limit: Int32(limits.rlim_max)))
            #expect(DescriptorReserve() == DescriptorReserve(limit: Int32(limits.rlim_max)))
        }
    }
}
