import Glibc
import Lab
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
            let open = fillDescriptors(below: DescriptorReserve().start)

            let error = #expect(throws: SystemError.self) {
                _ = try Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0).number
            }
            #expect(error == SystemError(call: "socket", code: EMFILE))
            // It was closed.
            let next = fillDescriptors(below: DescriptorReserve().start + 1)
            #expect(next == [DescriptorReserve().start])

            for number in open { close(number) }
            let socket = try Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0)
            let isBelow = socket.number < DescriptorReserve().start
            #expect(isBelow)
        }
    }
}
