/// Numbers of RFC 1035 and of the registry of DNS parameters.
enum DNSNumber {
    static let headerLength = 12
    /// The class IN.
    static let internet: UInt16 = 1
    static let cname: UInt16 = 5
    /// EDNS(0), RFC 6891.
    static let opt: UInt16 = 41
}

extension DNSOptions.RecordType {
    /// TYPE of the wire.
    var number: UInt16 {
        switch self {
        case .a: 1
        case .mx: 15
        case .txt: 16
        case .aaaa: 28
        }
    }
}
