import SpeedTestCore
import Testing

@Test func `an account adds what is received and transmitted`() {
    let account = TrafficAccount()
    account.add(received: 3)
    account.add(received: 4, transmitted: 5)
    #expect(account.bytes == TrafficAccount.Bytes(received: 7, transmitted: 5))
}
