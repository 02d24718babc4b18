import Glibc
import Lab
import NetworkPath

/// What a message bus, and NetworkManager behind it, send.
extension FuzzReader {
    /// An input is a sequence of messages, each after the byte of its kind and the two of its length.
    static func dbus() throws -> FuzzReader {
        let listener = try UnixListener("dbus")
        let whole = BusSample.owner + BusSample.manager + BusSample.devices
        return FuzzReader(
            seeds: [whole, whole + BusSample.changes, BusSample.absent + whole, whole + BusSample.failures],
            words: texts("a{sv}", "State", "Devices", "Metered", "IpInterface", ":1.2", "/d/1", "sa{sv}as", "ao")
                + BusSample.all,
            isCut: false,
            read: { input in
                let client = NetworkManagerClient(busAddress: "unix:abstract=\(listener.name)")
                _ = client.process(now: .now)
                let server = accept(listener.descriptor, nil, nil)
                defer { close(server) }
                guard server >= 0 else { throw Finding("accept: errno \(errno)") }
                RawConnection(socket: server).send(BusSample.welcome + BusSample.messages(input))
                // Up to 64 messages each time; what the client sends is not read.
                for _ in 0..<8 {
                    _ = client.process(now: .now)
                    guard client.pollRequest != nil else { break }
                }
                guard let facts = client.facts else { return false }
                guard facts.devices.count <= 512, facts.devices.keys.allSatisfy({ (1...255).contains($0.utf8.count) })
                else { throw Finding("devices \(facts.devices.keys)") }
                return true
            }
        )
    }
}

/// Messages of a bus as inputs, and inputs as messages.
private enum BusSample {
    private static let service = "org.freedesktop.NetworkManager"
    private static let bus = "org.freedesktop.DBus"
    /// The number of the call that asks for the manager's properties, after Hello, three matches and the owner's name.
    private static let managerCall: UInt32 = 6

    static let owner = record(0) { $0.text(":1.2") }
    static let absent = record(6) { $0.text("nothing") }
    static let manager = record(1) { body in
        body.properties { entry in
            entry("State") { $0.number("u", 70) }
            entry("NetworkingEnabled") { $0.number("b", 1) }
            entry("Version") { $0.variant("s", text: "1.42") }
            entry("Devices") { $0.paths(["/d/1", "/d/2"]) }
        }
    }
    static let devices = device("eth0", metered: 4) + device("wlan0", metered: 1)
    static let changes =
        record(3) { body in
            body.text("\(service).Device")
            body.properties { $0("Metered") { $0.number("u", 2) } }
            body.array(of: 4) { $0.text("IpInterface") }
        }
        + record(4) { body in
            body.text(service)
            body.properties { $0("State") { $0.number("u", 20) } }
            body.array(of: 4) { _ in }
        }
        + record(5) { body in for text in [service, ":1.2", ":1.3"] { body.text(text) } }
    static let failures =
        record(6) { $0.text("gone") } + record(5) { for text in [service, ":1.2", ""] { $0.text(text) } }
    static let all = [owner, absent, manager, devices, changes]

    private static func device(_ name: String, metered: UInt32) -> [UInt8] {
        record(2) { body in
            body.properties { entry in
                entry("Interface") { $0.variant("s", text: name) }
                entry("DeviceType") { $0.number("u", 1) }
                entry("State") { $0.number("u", 100) }
                entry("Metered") { $0.number("u", metered) }
            }
        }
    }

    private static func record(_ kind: UInt8, _ write: (inout BusBody) -> Void) -> [UInt8] {
        var body = BusBody()
        write(&body)
        return [kind, UInt8(body.bytes.count & 0xff), UInt8(body.bytes.count >> 8)] + body.bytes
    }

    /// The answers to the authentication and to Hello.
    static let welcome =
        Array("DATA\r\nOK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n".utf8)
        + BusHeader(type: 2, sender: bus, reply: 1, signature: "s").message(3 as UInt32, BusBody(text: ":1.1").bytes)

    /// The messages of an input; the eighth kind are bytes as they are.
    static func messages(_ input: [UInt8]) -> [UInt8] {
        var messages: [UInt8] = []
        var rest = input[...]
        var (serial, call) = (10 as UInt32, managerCall)
        while rest.count >= 3 {
            let (kind, length) = (
                rest[rest.startIndex] & 7, Int(rest[rest.startIndex + 1]) | Int(rest[rest.startIndex + 2]) << 8
            )
            let body = Array(rest.dropFirst(3).prefix(length))
            rest = rest.dropFirst(3 + length)
            serial += 1
            switch kind {
            case 0:
                messages += BusHeader(type: 2, sender: bus, reply: managerCall - 1, signature: "s").message(
                    serial,
                    body
                )
            case 1:
                messages += BusHeader(type: 2, sender: ":1.2", reply: managerCall, signature: "a{sv}").message(
                    serial,
                    body
                )
            case 2:
                call += 1
                messages += BusHeader(type: 2, sender: ":1.2", reply: call, signature: "a{sv}").message(serial, body)
            case 3, 4:
                let path = kind == 3 ? "/d/1" : "/org/freedesktop/NetworkManager"
                messages += BusHeader(
                    type: 4,
                    sender: ":1.2",
                    signal: (path, "\(bus).Properties", "PropertiesChanged"),
                    signature: "sa{sv}as"
                ).message(serial, body)
            case 5:
                messages += BusHeader(
                    type: 4,
                    sender: bus,
                    signal: ("/org/freedesktop/DBus", bus, "NameOwnerChanged"),
                    signature: "sss"
                ).message(serial, body)
            case 6:
                messages += BusHeader(
                    type: 3,
                    sender: bus,
                    reply: messages.isEmpty ? managerCall - 1 : call,
                    error: "\(bus).Error.NameHasNoOwner",
                    signature: "s"
                ).message(serial, body)
            default: messages += body
            }
        }
        return messages
    }
}
