extension OpenAPIDocument {
    /// Without its path, which the settings have.
    static let metrics = #"""
        {
          "get": {
            "operationId": "getMetrics",
            "tags": ["metrics"],
            "summary": "All metrics.",
            "description": "In the format that `Accept` prefers, and with gzip where it is accepted.",
            "parameters": [
              {
                "name": "name[]", "in": "query",
                "description": "Only the families that have a sample of one of these names.",
                "style": "form", "explode": true,
                "schema": {"type": "array", "items": {"type": "string"}},
                "examples": {"two": {"value": ["network_health_online", "network_health_quality_level"]}}
              }
            ],
            "responses": {
              "200": {"$ref": "#/components/responses/Exposition"},
              "400": {"$ref": "#/components/responses/MalformedTargetText"},
              \#(refusals(.text))
            }
          }
        }
        """#

    static let probe = #"""
        "/probe": {
          "get": {
            "operationId": "getProbe",
            "tags": ["metrics"],
            "summary": "The last probe of a configured target, in the families of the blackbox_exporter.",
            "description": "From memory: nothing is sent.",
            "parameters": [
              {
                "name": "target", "in": "query", "required": true,
                "description": "The name of a target of the configuration, once.",
                "schema": {"type": "string"}
              },
              {
                "name": "module", "in": "query",
                "description": "Passed over: the configuration has it. For scrapes that were written for the blackbox_exporter.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {"$ref": "#/components/responses/Exposition"},
              "400": {
                "description": "No target or more than one; it lists the names.",
                "content": {"text/plain; charset=utf-8": {"schema": {"type": "string"}}}
              },
              "404": {
                "description": "No target has that name; it lists those that there are.",
                "content": {"text/plain; charset=utf-8": {"schema": {"type": "string", "pattern": "^no target is named "}}}
              },
              "503": {
                "description": "It was not probed yet.",
                "content": {"text/plain; charset=utf-8": {"schema": {"type": "string", "pattern": "was not probed yet\n$"}}}
              },
              \#(refusals(.text))
            }
          }
        }
        """#
}
