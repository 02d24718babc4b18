extension OpenAPIDocument {
    static let reload = #"""
        "/-/reload": {
          "post": \#(reload(operation: "reload")),
          "put": \#(reload(operation: "putReload"))
        }
        """#

    private static func reload(operation: String) -> String {
        #"""
        {
            "operationId": "\#(operation)",
            "tags": ["administration"],
            "summary": "Reads the configuration again.",
            "responses": {
              "200": {
                "description": "It is in force.",
                "content": {"text/plain; charset=utf-8": {"schema": {"const": "Reloaded\n"}}}
              },
              "400": {"$ref": "#/components/responses/MalformedTargetText"},
              "403": {
                "description": "Off without `--web.enable-lifecycle`; or a browser sends it for another site's page.",
                "content": {"text/plain; charset=utf-8": {"schema": {"type": "string"}}}
              },
              "500": {
                "description": "It is wrong, where and why; the old one stays in force.",
                "content": {"text/plain; charset=utf-8": {"schema": {"type": "string"}}}
              },
              \#(refusals(.text))
            }
          }
        """#
    }

    static let configuration = #"""
        "/config": {
          "get": {
            "operationId": "getConfiguration",
            "tags": ["administration"],
            "summary": "The configuration in force as YAML, with every default and without secrets.",
            "responses": {
              "200": {
                "description": "All of it.",
                "content": {"text/plain; charset=utf-8": {"schema": {"type": "string", "pattern": "^path:\n"}}}
              },
              "400": {"$ref": "#/components/responses/MalformedTargetText"},
              \#(refusals(.text))
            }
          }
        }
        """#

    static let landing = #"""
        "/": {
          "get": {
            "operationId": "getLandingPage",
            "tags": ["administration"],
            "summary": "A page for people: what this is, where the rest is, and whom it contacts.",
            "responses": {
              "200": {
                "description": "The page.",
                "content": {"text/html; charset=utf-8": {"schema": {"type": "string", "pattern": "^<!DOCTYPE html>"}}}
              },
              "400": {"$ref": "#/components/responses/MalformedTargetText"},
              \#(refusals(.text))
            }
          }
        }
        """#

    static let itself = #"""
        "/api/v1/openapi.json": {
          "get": {
            "operationId": "getOpenAPI",
            "tags": ["administration"],
            "summary": "This description.",
            "responses": {
              "200": {
                "description": "An OpenAPI 3.1 document.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["openapi", "info", "paths", "components"],
                      "properties": {
                        "openapi": {"type": "string", "pattern": "^3\\.1\\."},
                        "info": {"type": "object"},
                        "paths": {"type": "object"},
                        "components": {"type": "object"}
                      }
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/MalformedTargetJSON"},
              \#(refusals(.json))
            }
          }
        }
        """#
}
