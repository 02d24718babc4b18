"""Runs cf-speedtest's own test, its small sizes, against another server than the one that it has built in."""

import json
import sys

import cf_speedtest.speedtest as client

base = sys.argv[1]
client.CGI_ENDPOINT = base + "/cdn-cgi/trace"
client.META_ENDPOINT = base + "/meta"
client.DOWNLOAD_ENDPOINT = base + "/__down?measId=0&bytes={}"
client.UPLOAD_ENDPOINT = base + "/__up?measId=0"
country = client.get_our_country()
result = client.run_standard_test([100_000, 1_000_000], verbose=False)
print(json.dumps({"country": country, "download": result["download_speed"], "upload": result["upload_speed"]}))
