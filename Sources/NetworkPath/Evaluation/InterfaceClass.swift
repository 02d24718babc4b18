/// What a device is by itself, before what it stands on is known.
struct InterfaceClass: Sendable, Equatable {
    /// Nil for a device that is whatever it stands on: a VLAN, a bond, a bridge.
    var type: Interface.InterfaceType?
    var isVirtual = false
    var isTunnel = false
    var isTether = false
}
