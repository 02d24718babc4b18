package import Posix
package import Statistics

/// Asks STUN servers for the address that they see of this host.
package struct STUNClient: Sendable {
    package struct Answer: Sendable {
        /// nil: there was none.
        package var address: IPAddress?
        /// In bytes of IP packets.
        package var traffic = ByteCounts()

        package init(address: IPAddress? = nil, traffic: ByteCounts = ByteCounts()) {
            (self.address, self.traffic) = (address, traffic)
        }
    }

    private static let udpHeader = 8
    /// For each of the tries; a lost datagram is sent again once.
    static let (tries, timeout) = (2, Duration.seconds(2))

    let readiness: Readiness

    /// - Parameter server: of the family whose address is asked for.
    /// - Returns: the address, and the bytes that were sent and received, also without an answer.
    @concurrent
    package func ask(_ server: SocketAddress) async -> Answer {
        let binding = STUNBinding()
        let headers = UInt64(server.ip.family.headerBytes + Self.udpHeader)
        var answer = Answer()
        guard let socket = try? DNSSocket(SocketType.datagram, to: DNSServer(address: server, device: nil)) else {
            return answer
        }
        for _ in 0..<Self.tries {
            guard let sent = try? socket.send(binding.request[...]) else { return answer }
            answer.traffic.transmitted += UInt64(sent) + headers
            let deadline = ContinuousClock.now + Self.timeout
            // Others may be forged; the answer may still come.
            while deadline > .now, await readiness.wait(for: socket.number, .readable, until: deadline) {
                let received: [UInt8]?
                do { received = try socket.receive() } catch { return answer }
                guard let received else { continue }
                answer.traffic.received += UInt64(received.count) + headers
                guard let address = binding.address(in: received), address.family == server.ip.family else { continue }
                answer.address = address
                return answer
            }
            if Task.isCancelled { break }
        }
        return answer
    }
}
