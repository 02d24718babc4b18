#!/usr/bin/env python3
"""A GraphQL server of one field: {"query": "{ __typename }"} has data, anything else has errors."""
import http.server
import json
import re
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            query = json.loads(body)["query"]
        except (ValueError, KeyError, TypeError):
            return self.answer(400, {"errors": [{"message": "expected a JSON object with a query"}]})
        if self.headers["Content-Type"] != "application/json":
            return self.answer(415, {"errors": [{"message": "expected application/json"}]})
        if re.fullmatch(r"\s*(query\s*)?\{\s*__typename\s*\}\s*", query):
            return self.answer(200, {"data": {"__typename": "Query"}})
        self.answer(200, {"data": None, "errors": [{"message": "no such field", "path": ["x", 1]}]})

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/graphql-response+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("0.0.0.0", int(sys.argv[1])), Handler)
print("ready", flush=True)
server.serve_forever()
