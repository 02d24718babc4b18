import Testing

@testable import NetworkHealthExporter

struct BearerTokenTests {
    @Test(arguments: ["Bearer secret", "bearer secret", "BEARER secret", "Bearer   secret"])
    func `the scheme has no case, and spaces may follow it`(header: String) {
        #expect(BearerToken.isRight(header, "secret"))
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "secret", "Basic secret", "Bearersecret", "Bearer Secret", "Bearer secret ",
        "Bearer secre", "Bearer secrets", "Bearer Bearer secret",
    ])
    func `any other header is refused`(header: String?) {
        #expect(!BearerToken.isRight(header, "secret"))
    }
}
