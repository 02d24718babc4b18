import CLinux

/// The radio link to an access point (NL80211_CMD_GET_STATION, linux/nl80211.h), without its address.
///
/// A member that the driver does not report is nil. The counters begin with the association and wrap at 2³².
package struct WirelessStation: Sendable, Equatable {
    /// In dBm, averaged where the driver does that.
    package var signal: Int?
    /// In bits per second, of the last frame or so.
    package var receiveRate: UInt64?
    package var transmitRate: UInt64?
    /// Frames that were sent, and how often one was sent again.
    package var transmittedFrames: UInt32?
    package var retries: UInt32?

    package init() {}
}

extension WirelessStation {
    /// NL80211_ATTR_STA_INFO.
    private static let informationAttribute = 21
    /// NL80211_STA_INFO_…, which are attributes within it.
    private enum Information {
        static let (signal, transmitRate, transmittedFrames, retries) = (7, 8, 10, 11)
        static let (averageSignal, receiveRate) = (13, 14)
    }
    /// NL80211_RATE_INFO_BITRATE (16 bits) and NL80211_RATE_INFO_BITRATE32, in 100 kbit/s.
    private static let (rate16, rate32, rateUnit) = (1, 5, UInt64(100_000))

    /// Reads the payload of NL80211_CMD_NEW_STATION; offsets in errors count from its start.
    package init(parsing payload: RawSpan) throws(NetlinkError) {
        guard payload.byteCount >= GenericNetlink.headerLength else {
            throw .truncated(what: "station", offset: payload.byteCount)
        }
        var attributes = AttributeReader(after: GenericNetlink.headerLength, of: payload)
        while let attribute = try attributes.next(in: payload) {
            if attribute.type == Self.informationAttribute { try read(attribute, in: payload) }
        }
    }

    private mutating func read(_ information: Attribute, in payload: RawSpan) throws(NetlinkError) {
        var average: Int?
        var attributes = AttributeReader(information.payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case Information.signal: signal = Int(try attribute.load(Int8.self, in: payload))
            case Information.averageSignal: average = Int(try attribute.load(Int8.self, in: payload))
            case Information.transmitRate: transmitRate = try Self.rate(attribute, in: payload)
            case Information.receiveRate: receiveRate = try Self.rate(attribute, in: payload)
            case Information.transmittedFrames: transmittedFrames = try attribute.load(UInt32.self, in: payload)
            case Information.retries: retries = try attribute.load(UInt32.self, in: payload)
            default: break
            }
        }
        // 0 dBm is what drivers say that do not know.
        signal = [average, signal].compactMap(\.self).first { $0 < 0 }
    }

    private static func rate(_ rate: Attribute, in payload: RawSpan) throws(NetlinkError) -> UInt64? {
        var (short, long): (UInt64?, UInt64?)
        var attributes = AttributeReader(rate.payload)
        while let attribute = try attributes.next(in: payload) {
            switch attribute.type {
            case rate16: short = UInt64(try attribute.load(UInt16.self, in: payload))
            case rate32: long = UInt64(try attribute.load(UInt32.self, in: payload))
            default: break
            }
        }
        return (long ?? short).flatMap { $0 == 0 ? nil : $0 * rateUnit }
    }
}

extension RequestSocket {
    /// NL80211_CMD_GET_STATION.
    private static let getStation: UInt8 = 17

    /// The link of a Wi-Fi device to its access point; nil without one, and for a device that is an access point itself.
    ///
    /// On a socket for generic netlink. Throws `.kernel` where the device is gone or is no radio.
    package mutating func station(interfaceIndex: Int32) throws(NetlinkError) -> WirelessStation? {
        guard let family = try family(WirelessInterface.family) else { return nil }
        guard try wirelessInterface(interfaceIndex, family).isClient else { return nil }
        var request = Request(type: family, flags: NLM_F_ROOT | NLM_F_MATCH)
        request.append(GenericNetlink.Header(command: Self.getStation, version: 0))
        request.append(attribute: WirelessInterface.indexAttribute, UInt32(bitPattern: interfaceIndex))
        return try dump(request) { (message, payload) throws(NetlinkError) in
            guard message.type == family else { throw .unexpected(type: message.type) }
            return try WirelessStation(parsing: payload)
        }.elements.first
    }
}
