/// What sysfs says about one network device, below `/sys/class/net/NAME`.
package struct DeviceFacts: Sendable, Equatable {
    /// Whether sysfs could be read at all; without it nothing below means anything.
    package var isReadable = false
    /// `DEVTYPE` of `uevent`, such as wlan, wwan, bluetooth or gadget.
    package var deviceType: String?
    /// `phy80211` or `wireless` is there.
    package var isWireless = false
    /// `device` is there: hardware stands behind it.
    package var hasDevice = false
    /// Name of the driver behind `device/driver`.
    package var driver: String?
    /// `idVendor` of the USB device it is part of.
    package var usbVendor: UInt16?
    /// `bonding/active_slave`.
    package var activeSlave: String?
    /// `speed` in Mb/s; nil where the driver does not know.
    package var speedMegabits: UInt32?

    package init() {}
}
