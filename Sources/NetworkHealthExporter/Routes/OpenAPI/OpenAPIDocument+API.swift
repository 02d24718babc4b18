extension OpenAPIDocument {
    static let snapshot = #"""
        "/api/v1/snapshot": {
          "get": {
            "operationId": "getSnapshot",
            "tags": ["api"],
            "summary": "What is known of the network now.",
            "responses": {
              "200": {
                "description": "The newest state.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Snapshot"}}}
              },
              "400": {"$ref": "#/components/responses/MalformedTargetJSON"},
              "503": {
                "description": "The first evaluation is not complete yet.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              \#(refusals(.json))
            }
          }
        }
        """#

    static let stream = #"""
        "/api/v1/stream": {
          "get": {
            "operationId": "getStream",
            "tags": ["api"],
            "summary": "What happens, as it happens: Server-Sent Events.",
            "description": "Begins with the newest snapshot. `data` is one line of JSON: of `snapshot` a `Snapshot`, of `transition` a `Transition`, the same as in the history, of `speedtest` a `SpeedTestProgress` and at its end a `SpeedTest`. A comment comes every 15 seconds. A reader that falls behind is dropped, and gets what it missed with `Last-Event-ID`, of the last 100 events.",
            "parameters": [
              {
                "name": "Last-Event-ID", "in": "header",
                "description": "The `id` of the last event that the reader has; one that is not known is passed over.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "Until the reader goes.",
                "content": {
                  "text/event-stream": {
                    "schema": {"type": "string"},
                    "x-events": {
                      "snapshot": {"$ref": "#/components/schemas/Snapshot"},
                      "transition": {"$ref": "#/components/schemas/Transition"},
                      "speedtest": {"anyOf": [{"$ref": "#/components/schemas/SpeedTestProgress"}, {"$ref": "#/components/schemas/SpeedTest"}]}
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/MalformedTargetJSON"},
              "503": {
                "description": "100 readers follow already.",
                "headers": {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              \#(refusals(.json))
            }
          }
        }
        """#

    static let history = #"""
        "/api/v1/history": {
          "get": {
            "operationId": "getHistory",
            "tags": ["api"],
            "summary": "What was, from some time on and in the order of time.",
            "description": "Without `--storage.path` since the start. Parameters are read strictly: an unknown, repeated or malformed one is refused.",
            "parameters": [
              {
                "name": "kind", "in": "query", "required": true,
                "description": "`transitions`: each change of the network. `speedtests`: each test. `latency`: one row a minute.",
                "schema": {"type": "string", "enum": [\#(words(HistoryQuery.Kind.self))]}
              },
              {
                "name": "since", "in": "query",
                "description": "A time, or a duration back from now.",
                "schema": {
                  "default": "24h",
                  "anyOf": [{"type": "string", "format": "date-time"}, {"$ref": "#/components/schemas/Duration"}]
                }
              },
              {
                "name": "format", "in": "query",
                "description": "`openmetrics` has the names of `/metrics` with their times, for `promtool tsdb create-blocks-from`.",
                "schema": {"type": "string", "enum": [\#(words(HistoryFormat.self))], "default": "json"}
              }
            ],
            "responses": {
              "200": {
                "description": "The rows; a long answer is sent in chunks.",
                "content": {
                  "application/json": {
                    "schema": {
                      "anyOf": [
                        {"type": "array", "items": {"$ref": "#/components/schemas/Transition"}},
                        {"type": "array", "items": {"$ref": "#/components/schemas/SpeedTest"}},
                        {"type": "array", "items": {"$ref": "#/components/schemas/MinuteLatency"}}
                      ]
                    }
                  },
                  "text/csv; charset=utf-8": {"schema": {"type": "string"}},
                  "application/openmetrics-text; version=1.0.0; charset=utf-8": {"schema": {"type": "string", "pattern": "# EOF\n$"}}
                }
              },
              "400": {
                "description": "A parameter that is missing, unknown, repeated or malformed.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "500": {
                "description": "The file cannot be read; the log says why.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              \#(refusals(.json))
            }
          }
        }
        """#

    static let speedTest = #"""
        "/api/v1/speedtest": {
          "get": {
            "operationId": "getSpeedTest",
            "tags": ["api"],
            "summary": "The last speed test, failed or not.",
            "responses": {
              "200": {
                "description": "Its result.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SpeedTest"}}}
              },
              "400": {"$ref": "#/components/responses/MalformedTargetJSON"},
              "404": {
                "description": "None was made yet.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              \#(refusals(.json))
            }
          },
          "post": {
            "operationId": "startSpeedTest",
            "tags": ["api"],
            "summary": "Starts a speed test.",
            "responses": {
              "202": {
                "description": "It begins; the event stream tells how far it is.",
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "required": ["status"],
                      "properties": {"status": {"const": "started"}}
                    }
                  }
                }
              },
              "400": {"$ref": "#/components/responses/MalformedTargetJSON"},
              "403": {
                "description": "Off without `--web.enable-admin-api`; or a browser sends it for another site's page.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "404": {
                "description": "No speed-test server is configured.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "409": {
                "description": "Not now: one is running, the host is offline, the path is expensive or constrained, the link is busy, or it is outside of the windows.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "429": {
                "description": "The budget is spent, or the last test began too short ago.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              "507": {
                "description": "What a test would use of the budget cannot be stored.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
              },
              \#(refusals(.json))
            }
          }
        }
        """#
}
