import CCurl
import Glibc
import Posix

// The C entry points. The context is the `RunningTransfer`, which its runner keeps until the handle is removed; that of
// `closeSocket` is the runner itself, since a connection may outlive its transfer. None of them waits.

let receiveBody: curl_write_callback = { bytes, size, count, context in
    guard let context, let bytes else { return 0 }
    let transfer = Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

let receiveHeader: curl_write_callback = { line, size, count, context in
    guard let context, let line else { return 0 }
    let transfer = Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
    guard transfer.receiveHeader(size * count) else { return 0 }
    // The blank line ends the head; libcurl takes a line feed alone for one, too.
    if [UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(UInt8(bitPattern: line.pointee)) { transfer.headIsComplete() }
    return size * count
}

let sendBody: curl_read_callback = { buffer, size, count, context in
    guard let context, let buffer else { return NHE_CURL_READ_ABORT }
    let transfer = Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

let rewindBody: curl_seek_callback = { context, offset, origin in
    guard let context, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
    let transfer = Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.rewind(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

/// Called before libcurl looks a name up, which would take a thread: it has to ask for the addresses.
let refuseLookup: curl_resolver_start_callback = { _, _, context in
    if let context { Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue().wantsAddresses = true }
    return 1
}

/// For a connection of bytes, whose addresses are handed over before.
let refuseByteLookup: curl_resolver_start_callback = { _, _, _ in 1 }

let openSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    return Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue().open(address)
}

let closeSocket: curl_closesocket_callback = { context, socket in
    guard let context else { return Glibc.close(socket) }
    Unmanaged<LoopRunner>.fromOpaque(context).takeUnretainedValue().close(socket)
    return 0
}

let connectionReady: curl_prereq_callback = { context, address, _, port, localPort in
    guard let context, let address else { return CURL_PREREQFUNC_ABORT }
    let transfer = Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
    let isAllowed = transfer.connected(
        to: String(cString: address),
        port: UInt16(truncatingIfNeeded: port),
        from: UInt16(truncatingIfNeeded: localPort)
    )
    return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

let connectionText: curl_debug_callback = { _, kind, text, size, context in
    guard kind == CURLINFO_TEXT, let text, let context else { return 0 }
    let transfer = Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
    transfer.read(String(decoding: UnsafeRawBufferPointer(start: text, count: size), as: UTF8.self))
    return 0
}

/// For a connection of bytes; the context is its `ByteSocketOpener`.
let openByteSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    return Unmanaged<ByteSocketOpener>.fromOpaque(context).takeUnretainedValue().open(address)
}

extension SocketAddress {
    /// - Returns: nil for a family other than the two, and for an address that is cut short.
    init?(_ address: UnsafePointer<curl_sockaddr>) {
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        self.init(copying: UnsafeRawPointer(address) + offset, length: Int(address.pointee.addrlen))
    }
}

extension UnsafeMutablePointer<curl_sockaddr> {
    /// Sets the device of a link-local address, which libcurl cannot take over from CURLOPT_RESOLVE.
    func set(scope: UInt32) {
        guard let address = MemoryLayout<curl_sockaddr>.offset(of: \.addr),
            let scopeID = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_scope_id),
            Int(pointee.addrlen) >= MemoryLayout<sockaddr_in6>.size
        else { return }
        UnsafeMutableRawPointer(self).storeBytes(of: scope, toByteOffset: address + scopeID, as: UInt32.self)
    }
}
