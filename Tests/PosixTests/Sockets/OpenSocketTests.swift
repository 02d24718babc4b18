import Glibc
import Lab
import Posix
import Testing

@Suite(.timeLimit(.minutes(3)))
struct OpenSocketTests {
    @Test func `A socket in the reserve is closed at once, with EMFILE`() async {
        await #expect(processExitsWith: .success) {
            try limitDescriptors(to: 256)
            let start = DescriptorReserve().start
            var open: [Int32] = []
            // The runtime opens a file for a moment now and then: where it leaves a number below, there is room once more.
            var failure: SystemError?
            repeat {
                open += fillDescriptors(below: start)
                do throws(SystemError) {
                    _ = try Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0).number
                } catch {
                    failure = error
                }
            } while failure == nil
            #expect(failure == SystemError(call: "socket", code: EMFILE))
            // Each was closed: more of them than there are numbers leave room.
            for _ in 0..<300 {
                _ = try? Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0).number
            }
            open.append(dup(0))
            #expect(open.last.map { $0 >= 0 } == true)

            for number in open { close(number) }
            let socket = try Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0)
            let isBelow = socket.number < start
            #expect(isBelow)
        }
    }
}
