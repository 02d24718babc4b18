import Foundation
import Synchronization

/// A web server on loopback that answers `/404` with the status 404.
final class StatusServer: Sendable {
    let url: String
    private let listener: Int32
    /// The request lines so far.
    let requests = Mutex<[String]>([])

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        (self.listener, url) = (listener, "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
        Thread.detachNewThread { [self] in serve() }
    }

    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(client, &buffer, buffer.count)
            let line = String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 13 }, as: UTF8.self)
            requests.withLock { $0.append(line) }
            let status = line.split(separator: " ").dropFirst().first?.dropFirst() ?? "400"
            let answer = Array("HTTP/1.1 \(status) -\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            Glibc.close(client)
        }
        Glibc.close(listener)
    }
}
