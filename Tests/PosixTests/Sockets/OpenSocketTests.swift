import Glibc
import Posix
import Testing

struct OpenSocketTests {
    @Test func `A socket in the reserve is closed at once, with EMFILE`() async {
        await #expect(processExitsWith: .success) {
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limits = rlimit()
            #expect(getrlimit(resource, &limits) == 0)
            limits.rlim_cur = 256
            #expect(setrlimit(resource, &limits) == 0)
            var last = dup(0)
            while !DescriptorReserve().contains(last + 1) { last = dup(0) }

            let error = #expect(throws: SystemError.self) {
                _ = try Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0).number
            }
            #expect(error == SystemError(call: "socket", code: EMFILE))
            let next = try Descriptor(owning: dup(0), from: "dup").number
            #expect(next == DescriptorReserve().start)

            close(last)
            let socket = try Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0)
            let number = socket.number
            #expect(number == last)
        }
    }
}
