extension OpenAPIDocument {
    static let headers = #"""
        "headers": {
          "Allow": {
            "description": "The methods that there are.",
            "required": true,
            "schema": {"type": "string"}
          },
          "RetryAfter": {
            "description": "Seconds until the answer may change at the earliest.",
            "required": true,
            "schema": {"type": "integer", "minimum": 1, "maximum": 60}
          }
        }
        """#

    static var responses: String {
        let answers = [Form.text, .json].flatMap { form in
            [
                refusal("MalformedTarget", form, "The target has a malformed escape, a NUL, or no UTF-8."),
                refusal("MethodNotAllowed", form, "The path has other methods.", headers: ["Allow"]),
                refusal("BodyNotWanted", form, "The request has a body."),
                refusal("HeadersTooLarge", form, "The request's headers are too large."),
            ]
        }
        return #"""
            "responses": {
              "Exposition": {
                "description": "Metrics.",
                "content": {
                  "text/plain; version=0.0.4; charset=utf-8": {"schema": {"type": "string"}},
                  "application/openmetrics-text; version=1.0.0; charset=utf-8": {"schema": {"type": "string", "pattern": "# EOF\n$"}}
                }
              },
              \#(answers.joined(separator: ",\n  "))
            }
            """#
    }

    private static func refusal(_ name: String, _ form: Form, _ reason: String, headers: [String] = []) -> String {
        let fields = headers.map { "\"\($0)\": {\"$ref\": \"#/components/headers/\($0)\"}" }
        let content =
            switch form {
            case .text: #""text/plain; charset=utf-8": {"schema": {"type": "string"}}"#
            case .json: ##""application/json": {"schema": {"$ref": "#/components/schemas/Error"}}"##
            }
        return #"""
            "\#(name)\#(form.rawValue)": {
                "description": "\#(reason)",
                "headers": {\#(fields.joined(separator: ", "))},
                "content": {\#(content)}
              }
            """#
    }
}
