import Glibc
import Posix

/// The facts about one network device in sysfs, below `/sys/class/net/NAME`.
package struct DeviceFacts: Sendable, Equatable {
    /// Whether sysfs could be read; otherwise the other members have no meaning.
    package var isReadable = false
    /// `DEVTYPE` of `uevent`, such as wlan, wwan, bluetooth or gadget.
    package var deviceType: String?
    /// `phy80211` or `wireless` is there.
    package var isWireless = false
    /// `device` is there: it is hardware.
    package var hasDevice = false
    /// Name of the driver behind `device/driver`.
    package var driver: String?
    /// `idVendor` of the USB device it is part of.
    package var usbVendor: UInt16?
    /// `bonding/active_slave`.
    package var activeSlave: String?
    /// `speed` in Mb/s; nil where the driver does not know.
    package var speedMegabits: UInt32?
    /// The highest speed that both ends of its cable offer, in bits per second; ethtool has it, and not sysfs.
    package var maxSpeed: UInt64?
    /// The name of the Wi-Fi network that the device is in, as nl80211 has it; nil: none, or the driver does not say.
    package var ssid: String?
    /// Whether a PPP line is PPPoE; nil: not known, or it is no PPP line.
    package var isPPPoE: Bool?

    package init() {}

    /// Reads the facts of a device; unreadable where sysfs is missing or describes another device.
    ///
    /// A sysfs mount shows the network namespace of the process that mounted it, where another device may have the same
    /// name: its `ifindex` shows that.
    ///
    /// - Parameters:
    ///   - name: the device.
    ///   - index: its interface index.
    ///   - sysfsRoot: where sysfs is mounted.
    package init(of name: String, index: Int32, sysfsRoot: String = "/sys") {
        let device = "\(sysfsRoot)/class/net/\(name)"
        guard Self.isFileName(name), let uevent = try? SmallFile.read("\(device)/uevent", limit: 4096) else { return }
        if let found = SmallFile.line("\(device)/ifindex").flatMap(Int32.init), found != index { return }

        isReadable = true
        deviceType = Self.value(of: "DEVTYPE", in: uevent)
        isWireless = Self.exists("\(device)/phy80211") || Self.exists("\(device)/wireless")
        hasDevice = Self.exists("\(device)/device")
        driver = Self.target("\(device)/device/driver")
        usbVendor = Self.usbVendor(above: "\(device)/device")
        activeSlave = SmallFile.line("\(device)/bonding/active_slave").flatMap { $0.isEmpty ? nil : $0 }
        // -1 is unknown, printed unsigned by old kernels; a link that is down answers EINVAL.
        speedMegabits = SmallFile.line("\(device)/speed").flatMap(UInt32.init).flatMap {
            $0 == 0 || $0 == .max ? nil : $0
        }
    }

    /// Names come from the kernel, which forbids these too; the check costs little.
    private static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == 0x2f || $0 == 0 }
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The last component of a symbolic link's destination.
    private static func target(_ path: String) -> String? {
        SymbolicLink.destination(of: path)?.split(separator: "/").last.map(String.init)
    }

    /// `device` is the USB interface, and the USB device above it has the vendor; the kernel resolves the link before the
    /// dots, so that they lead up the device tree.
    private static func usbVendor(above device: String) -> UInt16? {
        for steps in 0...3 {
            let directory = device + String(repeating: "/..", count: steps)
            if let text = SmallFile.line("\(directory)/idVendor") { return UInt16(text, radix: 16) }
        }
        return nil
    }

    /// The value of a `KEY=value` line.
    private static func value(of key: String, in uevent: [UInt8]) -> String? {
        let prefix = Array("\(key)=".utf8)
        guard let line = uevent.split(separator: 0x0a).first(where: { $0.starts(with: prefix) }) else { return nil }
        return String(validating: line.dropFirst(prefix.count), as: UTF8.self)
    }
}
