import Foundation
import Lab
import Posix
import Testing

@testable import NetworkPath

struct DeviceFactsTests {
    private let root: TemporaryFolder

    init() throws { root = try TemporaryFolder() }

    @Test func `Ethernet hardware shows its device, driver and speed`() throws {
        try device("eth0", files: ["speed": "1000\n"])
        try root.link("devices/eth0/driver", to: "../../bus/pci/drivers/e1000e")
        var expected = DeviceFacts.make(device: true, speed: 1000)
        expected.driver = "e1000e"
        #expect(read("eth0") == expected)
    }

    @Test func `Wi-Fi shows its DEVTYPE and its radio`() throws {
        try device("wlan0", uevent: "INTERFACE=wlan0\nDEVTYPE=wlan\nIFINDEX=2\n")
        try root.makeFolder("class/net/wlan0/phy80211")
        #expect(read("wlan0") == .make(type: "wlan", wireless: true, device: true))
    }

    @Test func `the old sign of Wi-Fi counts too`() throws {
        try device("wlan0")
        try root.makeFolder("class/net/wlan0/wireless")
        #expect(read("wlan0").isWireless)
    }

    @Test func `an iPhone shows its driver, and the vendor of the USB device above its interface`() throws {
        try root.write("class/net/eth1/uevent", "INTERFACE=eth1\n")
        try root.makeFolder("devices/pci0/usb1/1-2/1-2:4.2")
        try root.write("devices/pci0/usb1/1-2/idVendor", "05ac\n")
        try root.write("devices/pci0/usb1/idVendor", "1d6b\n")
        try root.link("devices/pci0/usb1/1-2/1-2:4.2/driver", to: "../../../../../bus/usb/drivers/ipheth")
        try root.link("class/net/eth1/device", to: "../../../devices/pci0/usb1/1-2/1-2:4.2")
        let facts = read("eth1")
        #expect(facts.driver == "ipheth")
        #expect(facts.usbVendor == 0x05ac)
        let nature = InterfaceClassifier.classify(.make(2, "eth1"), facts: facts, device: nil)
        #expect(nature == InterfaceClass(type: .wiredEthernet, isTether: true))
    }

    @Test func `a bond names its active member`() throws {
        try root.write("class/net/bond0/uevent", "DEVTYPE=bond\n")
        try root.write("class/net/bond0/bonding/active_slave", "eth1\n")
        #expect(read("bond0").activeSlave == "eth1")
        try root.write("class/net/bond0/bonding/active_slave", "\n")
        #expect(read("bond0").activeSlave == nil)
    }

    @Test(arguments: ["-1\n", "4294967295\n", "0\n", "", "fast\n", "99999999999\n"])
    func `an invalid speed is unknown`(text: String) throws {
        try device("eth0", files: ["speed": text])
        #expect(read("eth0").speedMegabits == nil)
        #expect(read("eth0").isReadable)
    }

    @Test func `a file that refuses to be read is no fact`() throws {
        try device("eth0")
        // Reading a directory fails with EISDIR, as reading the speed of a link that is down does with EINVAL.
        try root.makeFolder("class/net/eth0/speed")
        #expect(read("eth0") == .make(device: true))
    }

    @Test func `without sysfs nothing is readable`() {
        #expect(read("eth0") == DeviceFacts())
    }

    @Test func `another device of the same name is not taken for this one`() throws {
        try device("eth0", uevent: "DEVTYPE=wlan\n", files: ["ifindex": "3\n"])
        #expect(read("eth0") == DeviceFacts())
        #expect(DeviceFacts(of: "eth0", index: 3, sysfsRoot: root.path).deviceType == "wlan")
    }

    @Test(arguments: ["", ".", "..", "../net/eth0", "/eth0", "eth0/../eth0", "eth0\0"])
    func `a name that is no file name reads nothing`(name: String) throws {
        try device("eth0")
        try root.write("class/uevent", "")
        try root.write("class/net/uevent", "")
        #expect(read(name) == DeviceFacts())
    }

    @Test func `a huge file is no fact`() throws {
        try device("eth0", uevent: "DEVTYPE=wlan\n" + String(repeating: "X=1\n", count: 4096))
        #expect(read("eth0") == DeviceFacts())
    }

    private func read(_ name: String) -> DeviceFacts {
        DeviceFacts(of: name, index: 2, sysfsRoot: root.path)
    }

    private func device(
        _ name: String,
        uevent: String = "INTERFACE=x\nIFINDEX=2\n",
        files: [String: String] = [:]
    ) throws {
        try root.write("class/net/\(name)/uevent", uevent)
        for (file, text) in files { try root.write("class/net/\(name)/\(file)", text) }
        try root.makeFolder("devices/\(name)")
        try root.link("class/net/\(name)/device", to: "../../../devices/\(name)")
    }
}

extension TemporaryFolder {
    fileprivate func link(_ name: String, to target: String) throws {
        if let slash = name.lastIndex(of: "/") { try makeFolder(String(name[..<slash])) }
        try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: target)
    }
}
