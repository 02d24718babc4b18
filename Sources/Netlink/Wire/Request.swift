import CLinux

/// A request to the kernel, put together in host byte order.
package struct Request: Sendable {
    private static let headerLength = 16
    private var bytes: [UInt8]

    package init(type: Int, flags: Int32 = 0) {
        bytes = []
        append(UInt32(0))  // the length, known at the end
        append(UInt16(truncatingIfNeeded: type))
        append(UInt16(truncatingIfNeeded: flags | NLM_F_REQUEST))
        append(UInt32(0))  // the sequence number, given when it is sent
        append(UInt32(0))  // the port: the kernel knows ours
    }

    /// Appends a field of the fixed part.
    package mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    /// Appends an attribute.
    package mutating func append(attribute type: Int, _ payload: [UInt8]) {
        append(UInt16(truncatingIfNeeded: 4 + payload.count))
        append(UInt16(truncatingIfNeeded: type))
        bytes.append(contentsOf: payload)
        while bytes.count & 3 != 0 { bytes.append(0) }
    }

    /// Appends an attribute of four bytes.
    package mutating func append(attribute type: Int, _ value: UInt32) {
        append(attribute: type, withUnsafeBytes(of: value) { Array($0) })
    }

    /// The bytes to send.
    package func numbered(_ sequence: UInt32) -> [UInt8] {
        var message = bytes
        let length = UInt32(truncatingIfNeeded: message.count)
        withUnsafeBytes(of: length) { message.replaceSubrange(0..<4, with: $0) }
        withUnsafeBytes(of: sequence) { message.replaceSubrange(8..<12, with: $0) }
        return message
    }
}
