/// The body of a D-Bus message, little-endian (the specification's "Marshalling").
struct BusBody {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(text: String) { self.text(text) }

    mutating func align(_ boundary: Int) {
        while !bytes.count.isMultiple(of: boundary) { bytes.append(0) }
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func number(_ value: UInt32) {
        align(4)
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    /// A string, or an object's path.
    mutating func text(_ text: String) {
        number(UInt32(text.utf8.count))
        bytes += text.utf8 + [0]
    }

    mutating func signature(_ text: String) {
        bytes += [UInt8(text.utf8.count)] + text.utf8 + [0]
    }

    /// An array of elements that are aligned to a boundary.
    mutating func array(of boundary: Int, _ write: (inout BusBody) -> Void) {
        number(0)
        let place = bytes.count - 4
        align(boundary)
        let start = bytes.count
        write(&self)
        withUnsafeBytes(of: UInt32(bytes.count - start).littleEndian) {
            bytes.replaceSubrange(place..<place + 4, with: $0)
        }
    }

    /// A variant of a number or a flag.
    mutating func number(_ type: String, _ value: UInt32) {
        signature(type)
        number(value)
    }

    mutating func variant(_ type: String, text: String) {
        signature(type)
        self.text(text)
    }

    /// A variant of objects' paths.
    mutating func paths(_ paths: [String]) {
        signature("ao")
        array(of: 4) { for path in paths { $0.text(path) } }
    }

    /// A dictionary of properties; its argument writes an entry.
    mutating func properties(_ write: ((String, (inout BusBody) -> Void) -> Void) -> Void) {
        array(of: 8) { body in
            var entries = body
            write { name, value in
                entries.align(8)
                entries.text(name)
                value(&entries)
            }
            body = entries
        }
    }
}

/// The header of a D-Bus message.
struct BusHeader {
    /// 2 answers, 3 is an error, 4 a signal.
    var type: UInt8
    var sender: String
    var reply: UInt32?
    var error: String?
    var signal: (path: String, interface: String, member: String)?
    var signature: String

    init(
        type: UInt8,
        sender: String,
        reply: UInt32? = nil,
        error: String? = nil,
        signal: (path: String, interface: String, member: String)? = nil,
        signature: String
    ) {
        (self.type, self.sender, self.reply, self.error) = (type, sender, reply, error)
        (self.signal, self.signature) = (signal, signature)
    }

    /// The whole message.
    func message(_ serial: UInt32, _ body: [UInt8]) -> [UInt8] {
        var header = BusBody()
        header.number(UInt32(UInt8(ascii: "l")) | UInt32(type) << 8 | 1 << 24)
        header.number(UInt32(body.count))
        header.number(serial)
        header.array(of: 8) { fields in
            func field(_ code: UInt8, _ type: String, _ write: (inout BusBody) -> Void) {
                fields.align(8)
                fields.byte(code)
                fields.signature(type)
                write(&fields)
            }
            if let signal {
                field(1, "o") { $0.text(signal.path) }
                field(2, "s") { $0.text(signal.interface) }
                field(3, "s") { $0.text(signal.member) }
            }
            if let error { field(4, "s") { $0.text(error) } }
            if let reply { field(5, "u") { $0.number(reply) } }
            field(7, "s") { $0.text(sender) }
            field(8, "g") { $0.signature(signature) }
        }
        header.align(8)
        return header.bytes + body
    }
}
