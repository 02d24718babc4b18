import CCurl

/// The C entry point; the context is the `ByteSocketOptions` of the connection being made.
let openByteSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    let options = Unmanaged<ByteSocketOptions>.fromOpaque(context).takeUnretainedValue()
    let (family, type, number) = (address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    return options.open(family: family, type: type, protocol: number)
}
