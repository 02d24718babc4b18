import Foundation
import Networking
import Testing

@Suite struct GraphQLResponseTests {
    private func read(_ json: String) throws -> GraphQLResponse<Thing> {
        try JSONDecoder().decode(GraphQLResponse<Thing>.self, from: Data(json.utf8))
    }

    @Test func `reads data without errors`() throws {
        let response = try read(#"{"data": {"name": "a", "count": 1}, "extensions": {"cost": 1}}"#)
        #expect(response.data == Thing(name: "a", count: 1))
        #expect(response.errors == nil)
    }

    @Test func `reads an error with its places, and the numbers of its path as text`() throws {
        let response = try read(
            #"""
            {"errors": [{"message": "no", "locations": [{"line": 2, "column": 7}], "path": ["things", 3, "name"],
             "extensions": {"code": "FORBIDDEN"}}, {"message": "also", "locations": null}], "data": null}
            """#
        )
        #expect(response.data == nil)
        #expect(
            response.errors == [
                GraphQLResponseError(
                    message: "no",
                    locations: [GraphQLResponseError.Location(line: 2, column: 7)],
                    path: ["things", "3", "name"]
                ),
                GraphQLResponseError(message: "also"),
            ]
        )
    }

    @Test func `keeps partial data that is complete enough, and the errors in any case`() throws {
        let complete = try read(#"{"data": {"name": "a", "count": 1}, "errors": [{"message": "no"}]}"#)
        #expect(complete.data?.name == "a")
        #expect(complete.errors?.count == 1)
        let incomplete = try read(#"{"data": {"name": null, "count": 1}, "errors": [{"message": "no"}]}"#)
        #expect(incomplete.data == nil)
        #expect(incomplete.errors?.first?.message == "no")
    }

    @Test(arguments: [#"{"data": {"name": 1}}"#, #"{"errors": [{}]}"#, #"{"errors": "no"}"#, "[]", "{", ""])
    func `another form is an error`(_ json: String) {
        #expect(throws: DecodingError.self) { try read(json) }
    }
}
