#!/usr/bin/env python3
"""Gives an exporter's file, whose exporter has ended, a week of history: history.py FILE

Latency each ten minutes, in the last hour each minute; a speed test of this hour, of this day and of this week; and one outage.
"""
import datetime
import json
import sqlite3
import sys
import time

MINUTE, HOUR, DAY = 60, 3600, 86400
now = int(time.time()) // MINUTE * MINUTE
with sqlite3.connect(sys.argv[1]) as database:
    for age in [*range(MINUTE, HOUR - MINUTE, MINUTE), *range(HOUR, 7 * DAY - HOUR, 10 * MINUTE)]:
        seconds = 0.02 if age < HOUR else 0.03 if age < DAY else 0.04
        row = (now - age, seconds, 2 * seconds, 0.001, 0)
        database.execute("INSERT OR IGNORE INTO latency (at, p50, p95, jitter, loss) VALUES (?, ?, ?, ?, ?)", row)
    for age, speed in [(HOUR // 2, 100), (5 * HOUR, 60), (3 * DAY, 20)]:
        transfer = {
            "bytesTransferred": 50_000_000, "congestionControl": "cubic", "durationSeconds": 4, "limitedBy": [],
            "loadedLatencySeconds": 0.08, "responsivenessRpm": 500, "speedMbps": speed, "stable": True,
        }
        start = datetime.datetime.fromtimestamp(now - age, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        document = {
            "server": "lab", "protocol": "speedlab", "host": "198.18.0.1:10319", "startedAt": start, "durationSeconds": 9,
            "ping": {"latencySeconds": 0.02, "jitterSeconds": 0.001}, "download": transfer, "upload": transfer, "error": None,
        }
        row = (now - age, "lab", "eth0", None, 0, 50_000_000, 50_000_000, json.dumps(document))
        columns = "started_at, server, uplink, failure, latency_only, received, transmitted, document"
        database.execute(f"INSERT INTO speedtest ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    row = (now - 2 * DAY, 1, "connected", "online", "eth0", "ethernet", "good", "gateway", 600)
    columns = "at, online, status, internet, interface, type, quality, outage_cause, outage_seconds"
    # The exporter expects them in the order of time.
    first = database.execute('SELECT min(id) FROM "transition"').fetchone()[0] or 1
    database.execute(f'INSERT INTO "transition" (id, {columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', (first - 1, *row))
