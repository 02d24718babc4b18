#!/usr/bin/env python3
"""Receives requests and prints each as a line of JSON; the path's first number, if any, is the status of the answer, and
a second one (/503-600) its Retry-After. A path that begins with /cut gets no answer: the connection is closed."""
import http.server
import json
import re
import socketserver
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    def receive(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length).decode()
        if len(body.encode()) < length:
            # The client has ended in the middle of its request.
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = {"method": self.command, "path": self.path, "headers": headers, "body": body, "time": time.time()}
        # In one piece: there is a thread for each connection.
        sys.stdout.write(json.dumps(received) + "\n")
        sys.stdout.flush()
        if self.path.startswith("/cut"):
            self.close_connection = True
            return
        status = re.match(r"/(\d{3})(?:-(\d+))?", self.path)
        self.send_response(int(status[1]) if status else 200)
        if status and status[2]:
            self.send_header("Retry-After", status[2])
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_PUT = receive

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def server_bind(self):
        # Without a look for its own name, which takes half a minute where no name server answers.
        socketserver.TCPServer.server_bind(self)


Server((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
