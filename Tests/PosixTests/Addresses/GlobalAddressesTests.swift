import Testing

@testable import Posix

struct GlobalAddressesTests {
    @Test func `Parses every range of its table`() {
        #expect(GlobalAddresses.standard.excluded.map(\.description) == GlobalAddresses.standardText)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2606:4700:4700::1111", "2001:200::1", "2001:4860:4860::8888", "3ffe::1", "2003::1",
        "::ffff:1.1.1.1", "64:ff9b::1.1.1.1",
    ])
    func `Contains addresses of the internet`(text: String) throws {
        #expect(GlobalAddresses.standard.contains(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.0.1", "172.16.0.1", "172.31.255.255", "192.0.0.8",
        "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "64:ff9b:1::1", "100::1", "2001::1",
        "2001:2::1", "2001:db8::1", "2002::1", "2002:101:101::1", "2002:a00:1::1", "3fff:fff::1", "5f00::1", "fc00::1",
        "fd00::1", "fe80::1", "fec0::1", "ff02::1",
        "::ffff:10.0.0.1", "64:ff9b::192.168.1.1",
        // The last ones of their ranges.
        "0.255.255.255", "10.255.255.255", "100.127.255.255", "127.255.255.255", "169.254.255.255", "192.0.0.255",
        "192.0.2.255", "192.168.255.255", "198.51.100.255", "203.0.113.255", "2001:1ff:ffff::1", "2001:db8:ffff::1",
        "2002:ffff::1", "3fff:fff:ffff::1",
    ])
    func `Does not contain the others`(text: String) throws {
        #expect(!GlobalAddresses.standard.contains(try #require(IPAddress(text))))
    }

    @Test func `Contains what another list does not exclude`() throws {
        let lab = GlobalAddresses(
            excluding: GlobalAddresses.standard.excluded.filter { $0.description != "198.18.0.0/15" }
        )
        #expect(lab.contains(try #require(IPAddress("198.18.0.1"))))
        #expect(!lab.contains(try #require(IPAddress("10.0.0.1"))))
    }
}
