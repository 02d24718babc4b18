#!/usr/bin/env python3
"""Hands numbered requests to an exporter, each until it is accepted, and prints number and status: PORT COUNT HOST:PORT…"""
import http.client
import json
import sys
import time

port, count, places = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
for number in range(count):
    place = places[number % len(places)]
    request = {"url": f"http://{place}/", "body": str(number), "idempotencyKey": str(number), "orderingKey": place}
    body = json.dumps(request)
    while True:
        try:
            connection.request("POST", "/api/v1/requests", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            answer = response.read().decode()
            break
        except (OSError, http.client.HTTPException):
            # It was killed; the next request opens another connection.
            connection.close()
            time.sleep(0.005)
    if response.status not in (200, 202):
        sys.exit(f"{response.status}: {answer}")
    print(number, response.status, flush=True)
