import CSystemd
import Glibc

/// One received message: its header, and a cursor over its body.
///
/// sd-bus has checked the wire format, but not that the types are the expected ones: a mismatch reads as nil.
struct BusMessage: ~Copyable {
    private let message: OpaquePointer

    /// Takes over a reference.
    init(owning message: OpaquePointer) {
        self.message = message
    }

    deinit { sd_bus_message_unref(message) }

    enum Kind: Equatable {
        case reply(to: UInt64)
        case failure(of: UInt64)
        case signal
        case call
    }

    var kind: Kind {
        if sd_bus_message_is_signal(message, nil, nil) > 0 { return .signal }
        var cookie: UInt64 = 0
        guard sd_bus_message_get_reply_cookie(message, &cookie) >= 0 else { return .call }
        return sd_bus_message_is_method_error(message, nil) > 0 ? .failure(of: cookie) : .reply(to: cookie)
    }

    var sender: String? { Self.text(sd_bus_message_get_sender(message)) }
    var path: String? { Self.text(sd_bus_message_get_path(message)) }

    func isSignal(_ member: String, of interface: String) -> Bool {
        sd_bus_message_is_signal(message, interface, member) > 0
    }

    func isError(_ name: String) -> Bool {
        sd_bus_message_is_method_error(message, name) > 0
    }

    /// The next value, a string.
    func readString() -> String? { readText("s") }

    /// The next value, a dictionary of properties (`a{sv}`); those that are unknown, or of another type, are left out.
    func readProperties() -> [NetworkManagerProperty: PropertyValue]? {
        guard enter("a", "{sv}") else { return nil }
        var properties: [NetworkManagerProperty: PropertyValue] = [:]
        while enter("e", "sv") {
            guard let name = readPointer("s") else { return nil }
            if let property = Self.text(name).flatMap(NetworkManagerProperty.init) {
                guard readVariant(into: &properties[property]) else { return nil }
            } else {
                guard skip("v") else { return nil }
            }
            guard exit() else { return nil }
        }
        return exit() ? properties : nil
    }

    /// The next value, an array of property names (`as`); those that are unknown are left out.
    func readPropertyNames() -> Set<NetworkManagerProperty>? {
        guard enter("a", "s") else { return nil }
        var names: Set<NetworkManagerProperty> = []
        while let name = readPointer("s") {
            if let property = Self.text(name).flatMap(NetworkManagerProperty.init) { names.insert(property) }
        }
        return exit() ? names : nil
    }

    /// Reads a variant; false when the message is broken, nil in `value` when its type is not used here.
    private func readVariant(into value: inout PropertyValue?) -> Bool {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(message, &type, &contents) > 0, let signature = Self.text(contents) else {
            return skip("v")
        }
        guard ["u", "b", "s", "ao"].contains(signature) else { return skip("v") }
        guard enter("v", signature) else { return false }
        switch signature {
        case "u":
            var number: UInt32 = 0
            if readBasic("u", &number) { value = .number(number) }
        case "b":
            var flag: Int32 = 0
            if readBasic("b", &flag) { value = .flag(flag != 0) }
        case "s":
            value = readText("s").map(PropertyValue.text)
        default:
            guard let paths = readPaths() else { return false }
            value = .paths(paths)
        }
        return exit()
    }

    private func readPaths() -> [String]? {
        guard enter("a", "o") else { return nil }
        var paths: [String] = []
        while let path = readPointer("o") {
            if paths.count < NetworkManagerModel.deviceLimit, let path = Self.text(path) { paths.append(path) }
        }
        return exit() ? paths : nil
    }

    private func readText(_ type: Unicode.Scalar) -> String? { Self.text(readPointer(type)) }

    /// A string in the message's own memory.
    private func readPointer(_ type: Unicode.Scalar) -> UnsafePointer<CChar>? {
        var pointer: UnsafePointer<CChar>?
        return readBasic(type, &pointer) ? pointer : nil
    }

    private func readBasic(_ type: Unicode.Scalar, _ value: UnsafeMutableRawPointer) -> Bool {
        sd_bus_message_read_basic(message, Self.code(type), value) > 0
    }

    private func enter(_ type: Unicode.Scalar, _ contents: String) -> Bool {
        sd_bus_message_enter_container(message, Self.code(type), contents) > 0
    }

    private func exit() -> Bool { sd_bus_message_exit_container(message) >= 0 }

    private func skip(_ types: String) -> Bool { sd_bus_message_skip(message, types) >= 0 }

    private static func code(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }

    /// A copy of a C string; nil past the 255 bytes that D-Bus allows a name.
    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer, strnlen(pointer, 256) < 256 else { return nil }
        return String(cString: pointer)
    }
}

/// The properties that are read, of the manager and of its devices.
enum NetworkManagerProperty: String, Sendable {
    case state = "State"
    case networkingEnabled = "NetworkingEnabled"
    case devices = "Devices"
    case interface = "Interface"
    case ipInterface = "IpInterface"
    case deviceType = "DeviceType"
    case metered = "Metered"
}

/// A D-Bus property value of one of the types that these properties have.
enum PropertyValue: Sendable, Equatable {
    case number(UInt32)
    case flag(Bool)
    case text(String)
    case paths([String])
}
