"""Speed-test servers that are not ours, for Benchmarks/truth: python3 truth_server.py PROTOCOL ADDRESS PORT

Plain HTTP/1.1 for speedlab (the rules of SpeedLabServer: uploads are files of a form, nobody counts them), librespeed and cloudflare;
Debian's python3-websockets for ndt7; Debian's nginx with four files for networkquality is in `nginx_root`.
"""
import json
import os
import re
import socket
import struct
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

NOISE = os.urandom(1 << 18)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A small answer must not wait for an acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urlsplit(self.path)
        size = self.size(url.path, {key: values[0] for key, values in parse_qs(url.query).items()})
        if url.path == "/ping":
            self.answer(200, b'{"status":"pong"}', "application/json")
        elif size is None:
            self.answer(404 if url.path != "/download" else 400)
        elif size == 0:
            self.answer(200)
        else:
            self.head(200, size, "application/octet-stream")
            while size > 0:
                size -= self.connection.send(NOISE[:min(size, len(NOISE))])

    @staticmethod
    def size(path, query):
        """Of a download; None: there is none."""
        if path == "/empty.php":
            return 0
        if path == "/garbage.php":
            return int(query.get("ckSize", 4)) << 20
        if path == "/__down":
            return int(query["bytes"])
        size = int(query.get("size", 0))
        return size if path == "/download" and 1 <= size <= 100 << 20 else None

    def do_POST(self):
        left, buffer = int(self.headers["Content-Length"]), bytearray(1 << 18)
        head = min(left, 1024)
        is_form = b'name="file"' in self.rfile.read(head)
        left -= head
        while left > 0:
            count = self.rfile.readinto1(memoryview(buffer)[:min(left, len(buffer))])
            if not count:
                return
            left -= count
        if self.path == "/upload":
            self.answer(200 if is_form else 400, b'{"status":"success"}', "application/json")
        else:
            self.answer(200)

    def answer(self, status, body=b"", kind="text/plain"):
        self.head(status, len(body), kind)
        self.wfile.write(body)
        self.wfile.flush()

    def head(self, status, length, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    request_queue_size = 64
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that ends its load resets the connection


def serve_ndt7(address, port):
    """The server's side of ndt7: ten seconds of load or of counting, and a measurement each quarter of a second."""
    import asyncio
    import websockets

    async def serve(connection, path):
        start, received, load = time.monotonic(), 0, os.urandom(1 << 16)
        kernel = connection.transport.get_extra_info("socket")

        async def measure():
            while True:
                elapsed = int((time.monotonic() - start) * 1e6)
                # tcpi_rtt, tcpi_bytes_received (include/uapi/linux/tcp.h)
                info = kernel.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                counters = {"RTT": struct.unpack_from("I", info, 68)[0], "BytesReceived": struct.unpack_from("Q", info, 128)[0]}
                await connection.send(json.dumps({
                    "AppInfo": {"ElapsedTime": elapsed, "NumBytes": received}, "TCPInfo": {"ElapsedTime": elapsed} | counters}))
                await asyncio.sleep(0.25)

        measuring = asyncio.ensure_future(measure())
        try:
            while time.monotonic() - start < 10:
                if "download" in path:
                    await connection.send(load)
                    await asyncio.sleep(0)
                else:
                    message = await asyncio.wait_for(connection.recv(), 10)
                    received += len(message) if isinstance(message, bytes) else 0
            await connection.close(1000, "Done sending")
        except (websockets.ConnectionClosed, asyncio.TimeoutError):
            pass
        finally:
            measuring.cancel()

    async def main():
        async with websockets.serve(serve, address, port, subprotocols=["net.measurementlab.ndt.v7"], compression=None,
                                    max_size=1 << 24, ping_interval=None, close_timeout=5):
            await asyncio.Future()

    asyncio.run(main())


def nginx_root(folder, base):
    """The four files of a networkquality server, and the configuration of an nginx that serves them."""
    os.makedirs(f"{folder}/root/.well-known")
    urls = {"small_download_url": f"{base}/small", "large_download_url": f"{base}/large", "upload_url": f"{base}/upload"}
    files = {"small": "x", ".well-known/nq": json.dumps({"version": 1, "urls": urls}), "large": ""}
    for name, text in files.items():
        with open(f"{folder}/root/{name}", "w") as file:
            file.write(text)
    os.truncate(f"{folder}/root/large", 8 << 30)
    kinds = "client_body", "proxy", "fastcgi", "uwsgi", "scgi"
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    listen = re.sub("^http://", "", base)
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(f"""
daemon off; user root; worker_processes 1; pid {folder}/pid; error_log {folder}/errors; events {{}}
http {{ {temporary} access_log off; client_max_body_size 0; keepalive_requests 100000; sendfile on; tcp_nodelay on;
server {{ listen {listen}; root {folder}/root; location /upload {{ return 200; }} }} }}
""")
    return f"{folder}/nginx.conf"


if __name__ == "__main__":
    protocol, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if protocol == "ndt7":
        serve_ndt7(address, port)
    else:
        Server((address, port), Handler).serve_forever()
