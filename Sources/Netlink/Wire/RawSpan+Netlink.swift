/// Reads that throw where the standard library's would trap.
extension RawSpan {
    /// Loads an integer in host byte order at any alignment.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type,
        at offset: Int,
        of what: @autoclosure () -> String
    ) throws(NetlinkError) -> Value {
        // The subtraction cannot overflow as the addition might.
        guard offset >= 0, offset <= byteCount, byteCount - offset >= MemoryLayout<Value>.size else {
            throw .truncated(what: what(), offset: offset)
        }
        return unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Copies the bytes of a range.
    func bytes(_ range: Range<Int>, of what: @autoclosure () -> String) throws(NetlinkError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else {
            throw .truncated(what: what(), offset: range.lowerBound)
        }
        return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            for offset in range {
                buffer[count] = unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
                count += 1
            }
        }
    }
}

/// Netlink pads messages and attributes to four bytes (`NLMSG_ALIGNTO`, `RTA_ALIGNTO`).
func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
