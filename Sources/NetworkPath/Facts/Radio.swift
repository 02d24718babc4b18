import Glibc
import Posix

/// A radio and whether it may transmit (rfkill, Documentation/ABI/stable/sysfs-class-rfkill).
package struct Radio: Sendable, Equatable {
    /// Those that can carry a path; Bluetooth and the rest do not count.
    package enum Kind: String, Sendable {
        case wifi = "wlan"
        case cellular = "wwan"
    }

    package var kind: Kind
    /// Switched off by software or by a switch on the case.
    package var isBlocked: Bool

    private static let limit = 64

    package init(kind: Kind, isBlocked: Bool) {
        self.kind = kind
        self.isBlocked = isBlocked
    }

    /// All that can carry a path, read from sysfs; most servers and containers have none.
    package static func all(sysfsRoot: String = "/sys") -> [Radio] {
        let folder = "\(sysfsRoot)/class/rfkill"
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var radios: [Radio] = []
        while radios.count < limit, let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix("rfkill"),
                let kind = SmallFile.line("\(folder)/\(name)/type").flatMap(Radio.Kind.init)
            else { continue }
            let switches = ["soft", "hard"].map { SmallFile.line("\(folder)/\(name)/\($0)") }
            radios.append(Radio(kind: kind, isBlocked: switches.contains("1")))
        }
        return radios
    }
}
