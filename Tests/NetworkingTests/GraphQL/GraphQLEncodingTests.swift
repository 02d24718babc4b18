import Foundation
import Networking
import Testing

@Suite struct GraphQLEncodingTests {
    private func json(_ operation: GraphQLOperation) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(operation), as: UTF8.self)
    }

    @Test func `leaves out what an operation does not have`() throws {
        #expect(try json(GraphQLOperation(query: "{ a }")) == #"{"query":"{ a }"}"#)
        let named = GraphQLOperation(query: "query A { a }", variables: [:], operationName: "A")
        #expect(try json(named) == #"{"operationName":"A","query":"query A { a }","variables":{}}"#)
    }

    @Test func `encodes a variable of every type`() throws {
        let variables: [String: GraphQLVariable] = [
            "a": .string("grüße \"x\""), "b": .int(-7), "c": .double(1.5), "d": .bool(true), "e": .null,
            "f": .list([.int(1), .null, .list([])]), "g": .object(["k": .object([:])]), "h": .int(.max),
        ]
        #expect(
            try json(GraphQLOperation(query: "q", variables: variables))
                == #"{"query":"q","variables":{"a":"grüße \"x\"","b":-7,"c":1.5,"d":true,"e":null,"f":[1,null,[]],"#
                + #""g":{"k":{}},"h":9223372036854775807}}"#
        )
    }

    @Test func `literals are variables`() {
        let literals: GraphQLVariable = ["a": 1, "b": 1.5, "c": true, "d": nil, "e": ["x"], "f": "y", "f": "z"]
        let spelled = GraphQLVariable.object([
            "a": .int(1), "b": .double(1.5), "c": .bool(true), "d": .null, "e": .list([.string("x")]),
            "f": .string("z"),
        ])
        #expect(literals == spelled)
    }

    @Test func `a number that JSON has not is an error`() {
        #expect(throws: EncodingError.self) {
            try json(GraphQLOperation(query: "q", variables: ["a": .double(.infinity)]))
        }
    }
}
