/// An option of a router advertisement that the kernel leaves to user space (RTM_NEWNDUSEROPT, RFC 4861 4.6).
package struct NeighbourOption: Sendable, Equatable {
    /// Where it was heard.
    package var interfaceIndex: Int32
    /// 3 prefix, 25 DNS servers, 31 search domains, 37 captive portal, 38 NAT64 prefix.
    package var type: UInt8
    /// What follows its type and length, padding included.
    package var bytes: [UInt8]

    package init(interfaceIndex: Int32, type: UInt8, bytes: [UInt8]) {
        self.interfaceIndex = interfaceIndex
        self.type = type
        self.bytes = bytes
    }
}
