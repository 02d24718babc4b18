import Storage
import Testing

@Test func `values of different types differ`() {
    #expect(SQLValue.integer(1) != .real(1))
}
