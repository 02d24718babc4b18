import NetworkHealth

extension OpenAPIDocument {
    static let health = #"""
        "/health": {
          "get": {
            "operationId": "getHealth",
            "tags": ["gates"],
            "summary": "Whether a requirement holds.",
            "description": "200 while it holds, 503 while not; from memory, without a measurement. Not for a liveness probe: `/-/healthy` is. A parameter that is unknown or given twice is refused, and so are two that make no sense together.",
            "parameters": [
              {
                "name": "requirement", "in": "query",
                "description": "`online` (the default), `unmetered`, one for a use, `custom` together with `quality`, or one of the configuration.",
                "schema": {
                  "default": "online",
                  "anyOf": [
                    {"enum": ["online", "unmetered", "basicBrowsing", "imageLoading", "videoStreaming", "largeDownload", "largeUpload", "custom"]},
                    {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]{0,63}$"}
                  ]
                }
              },
              {
                "name": "quality", "in": "query",
                "description": "The least that is enough; `custom` needs it, and nothing else takes it.",
                "schema": {"type": "string", "enum": ["excellent", "good", "moderate", "poor"]}
              },
              {
                "name": "allow_expensive", "in": "query",
                "description": "In place of what the requirement says.",
                "schema": {"type": "boolean"}
              },
              {
                "name": "max_age", "in": "query",
                "description": "How old a measurement may be, in place of what the requirement says; only where a speed is asked for.",
                "schema": {"$ref": "#/components/schemas/Duration"}
              },
              {
                "name": "wait", "in": "query",
                "description": "Answers as soon as the requirement holds, or with 503 at the end: at most `5m`.",
                "schema": {"$ref": "#/components/schemas/Duration"}
              },
              {
                "name": "format", "in": "query",
                "description": "In place of `Accept`.",
                "schema": {"type": "string", "enum": ["json", "text"]}
              }
            ],
            "responses": {
              "200": {
                "description": "It holds. As text: its name.",
                "content": {
                  "text/plain; charset=utf-8": {"schema": {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]{0,63}\n$"}},
                  "application/json": {"schema": {"$ref": "#/components/schemas/Health"}}
                }
              },
              "400": {
                "description": "An unknown requirement, which lists the names, or a parameter that is unknown, repeated, malformed or without a meaning here.",
                "content": {
                  "text/plain; charset=utf-8": {"schema": {"type": "string"}},
                  "application/json": {"schema": {"$ref": "#/components/schemas/Error"}}
                }
              },
              "503": {
                "description": "It does not hold. As text: the reasons.",
                "headers": {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}},
                "content": {
                  "text/plain; charset=utf-8": {"schema": {"type": "string", "pattern": "^[a-z_]+(, [a-z_]+)*\n$"}},
                  "application/json": {"schema": {"$ref": "#/components/schemas/Health"}}
                }
              },
              \#(refusals(.text))
            }
          }
        }
        """#

    static let liveness = #"""
        "/-/healthy": {
          "get": {
            "operationId": "getHealthy",
            "tags": ["gates"],
            "summary": "Whether this server serves, whatever the network does.",
            "responses": {
              "200": {
                "description": "It does.",
                "content": {"text/plain; charset=utf-8": {"schema": {"const": "Healthy\n"}}}
              },
              "400": {"$ref": "#/components/responses/MalformedTargetText"},
              \#(refusals(.text))
            }
          }
        },
        "/-/ready": {
          "get": {
            "operationId": "getReady",
            "tags": ["gates"],
            "summary": "Whether the first evaluation of the network is complete.",
            "responses": {
              "200": {
                "description": "It is.",
                "content": {"text/plain; charset=utf-8": {"schema": {"const": "Ready\n"}}}
              },
              "400": {"$ref": "#/components/responses/MalformedTargetText"},
              "503": {
                "description": "Not yet, and why.",
                "content": {"text/plain; charset=utf-8": {"schema": {"type": "string", "pattern": "^Starting"}}}
              },
              \#(refusals(.text))
            }
          }
        }
        """#
}
