import Testing

@testable import MicroHTTP

struct AcceptEncodingTests {
    @Test(arguments: [
        (["gzip"], true),
        (["deflate, GZip;q=0.5"], true),
        (["deflate", "x-gzip"], true),
        (["*"], true),
        (["identity, *;q=0.1"], true),
        (["gzip;q=0.001"], true),
        ([], false),
        ([""], false),
        (["br, deflate"], false),
        (["gzip;q=0"], false),
        (["gzip ; q=0.000"], false),
        (["gzip;Q=0."], false),
        (["*;q=0"], false),
        (["*, gzip;q=0"], false),
        (["gzip;q=0, *"], false),
        (["notgzip"], false),
    ])
    func `Determines whether gzip is accepted`(values: [String], isAllowed: Bool) {
        #expect(AcceptEncoding.allowsGzip(values) == isAllowed)
    }
}
