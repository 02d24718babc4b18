extension RawSpan {
    /// The caller has checked that it is there; the standard library traps where it is not.
    func byte(at offset: Int) -> UInt8 { unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self) }

    /// An integer in network order, under the same rule.
    func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at offset: Int) -> Value {
        Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
