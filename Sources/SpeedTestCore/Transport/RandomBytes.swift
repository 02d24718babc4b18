/// What uploads consist of: incompressible, made once.
enum RandomBytes {
    /// A mebibyte.
    static let buffer: [UInt8] = {
        var generator = SystemRandomNumberGenerator()
        return (0..<131_072).flatMap { _ in
            let word = generator.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
    }()
}
