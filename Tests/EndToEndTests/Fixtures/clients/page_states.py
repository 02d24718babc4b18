"""What the status page is asked to show: a document of `/api/v1/status` for each state of a network, and its history.

Each state has what is worst for the space: long names, every part, and as many rows as there can be.
"""

import time

NAMES = ["online", "unmetered", "basicBrowsing", "imageLoading", "videoStreaming", "largeDownload", "largeUpload", "videoCall"]
LIMITS = {"basicBrowsing": 1, "imageLoading": 1, "videoStreaming": 10, "largeDownload": 50, "largeUpload": 50}
QUALITY = {"basicBrowsing": "moderate", "imageLoading": "moderate", "videoStreaming": "good", "largeDownload": "excellent", "largeUpload": "excellent"}


def at(ago):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - ago))


def rate(speed, limits=(), stable=True, uncertainty=0.01, exceeds=False):
    return {
        "speedMbps": speed, "bytesTransferred": 60_000_000, "durationSeconds": 10, "loadedLatencySeconds": 0.222,
        "responsivenessRpm": 270, "stable": stable, "uncertaintyRatio": uncertainty, "exceedsDevice": exceeds,
        "limitedBy": list(limits), "congestionControl": "cubic",
    }


def counted(speed, ago, bound=False, uncertainty=0.01, exceeds=False):
    return {"speedMbps": speed, "measuredAt": at(ago), "isLowerBound": bound, "uncertaintyRatio": uncertainty, "exceedsDevice": exceeds}


def station(name, label, state="ok", latency=None, detail=None, way=None):
    return {"name": name, "label": label, "state": state, "latencySeconds": latency, "detail": detail, "way": way}


def fault(location, kind, title, call, *evidence, ago=90):
    return {"location": location, "kind": kind, "title": title, "call": call, "since": at(ago), "evidence": list(evidence)}


MODEM = "check modem and cables, then call the provider"


def target(name, state="up", since=86400, latency=0.0213, loss=0, reason=None, detail=None, probed=4, module="http", paused=None):
    return {
        "name": name, "module": module, "state": state, "since": since and at(since), "lastProbedAt": probed and at(probed),
        "latencySeconds": latency, "lossRatio": loss, "reason": reason, "detail": detail, "paused": paused,
    }


def targets(*rows):
    states = [row["state"] for row in rows]
    return {"up": states.count("up"), "down": states.count("down"), "unknown": states.count("unknown"), "list": list(rows)}


def requirement(name, reasons=(), recommendation="Network quality is sufficient for this operation", quality="good", source="measured", speed=(47.9, 19.3)):
    return {
        "requirement": name, "passed": not reasons, "currentQuality": quality, "requiredQuality": QUALITY.get(name),
        "limits": {
            "minDownloadMbps": LIMITS.get(name), "minUploadMbps": 50 if name == "largeUpload" else 3 if name == "videoCall" else None,
            "maxLatencySeconds": 0.15 if name == "videoCall" else None, "maxJitterSeconds": None,
            "maxLossRatio": 0.02 if name == "videoCall" else None,
        },
        "reasons": list(reasons), "recommendation": recommendation,
        "quality": {"source": source, "measuredAt": at(300), "ageSeconds": 300}, "nextMeasurementAt": at(-3000),
        "downloadSpeedMbps": speed[0], "uploadSpeedMbps": speed[1], "latencySeconds": 0.0213, "expensive": False, "constrained": False, "notice": None,
    }


SLOW = "Network is too slow for this operation"
UPLOAD = "Upload is too slow. Try again later, or on another network"


def requirements(fails=None, **facts):
    """`fails`: name → (reasons, recommendation)."""
    fails = {"largeDownload": (["throughput_below"], SLOW), "largeUpload": (["throughput_below", "upload_below"], SLOW)} if fails is None else fails
    return [requirement(name, *fails.get(name, ()), **facts) for name in NAMES]


def all_fail(reason, advice, **facts):
    return requirements({name: ([reason], advice) for name in NAMES}, **facts)


def online():
    """Everything works, with as much to show as there can be."""
    outage = {"cause": "no_internet", "startedAt": at(9e6), "endedAt": at(8.9e6), "seconds": 100000}
    causes = ["no_internet", "tls_untrusted", "gateway", "captive_portal", "dns_broken"]
    days = [
        # Every ninth day the exporter ran for some hours only, and on one day in twenty not at all.
        {"date": at(86400 * day)[:10], "monitoredSeconds": 20000 if day % 9 == 4 else 86400, "offlineSeconds": {"no_internet": 900} if day % 13 == 5 else {}}
        for day in range(89, -1, -1) if day % 20 != 7
    ]
    part = lambda ratio, seconds: {"monitoredSeconds": seconds, "offlineSeconds": (1 - ratio) * seconds, "ratio": ratio}
    return {
        "version": "1.0.0", "startedAt": at(1500), "debug": False,
        "snapshot": {
            "quality": "good", "connectionType": "ethernet", "isExpensive": False, "isConstrained": False, "interfaceName": "enp0s31f6",
            "timestamp": at(0), "since": at(90000), "downloadSpeedMbps": 47.9, "uploadSpeedMbps": 19.3, "latency": 0.0213, "online": True,
            "viewpoint": "host", "status": "satisfied", "unsatisfiedReason": None, "internetState": "online", "outage": None, "underlay": None,
            "expensiveSource": "assumed", "constrainedSource": "assumed", "qualitySource": "measured", "measurementAgeSeconds": 300,
            "speedIsLowerBound": False, "speedUncertaintyRatio": 0.01, "jitterSeconds": 0.0031, "lossRatio": 0,
        },
        "since": at(90000), "cause": None, "summary": "Online via Ethernet (enp0s31f6).",
        "stations": [
            station("device", "enp0s31f6 · Ethernet"), station("router", "192.168.178.1", latency=0.0004), station("provider", "100.64.0.1", latency=0.0087),
            station("internet", "Internet", latency=0.0213), station("dns", "192.168.178.1", latency=0.0123),
        ],
        "faults": [],
        "targets": targets(target("nas"), target("web"), target("mail.example.com", module="tcp"), target("office-vpn", module="icmp")),
        "uptime": {"day": part(0.9963, 86400), "week": part(0.9999, 500000), "month": part(0.9987, 2400000)},
        "days": days, "outages": [outage | {"cause": cause} for cause in causes],
        "speedTest": {
            "last": {
                "server": "Frankfurt", "protocol": "speedlab", "host": "speed.example:443", "startedAt": at(318), "durationSeconds": 18, "error": None,
                "ping": {"latencySeconds": 0.0213, "jitterSeconds": 0.001}, "download": rate(47.9), "upload": rate(19.3),
                "uplink": "enp0s31f6", "estimatedBytesPerMonth": 8e9, "estimate": "about 8 GB a month at this line's speed",
            },
            "ageSeconds": 300, "counted": {"download": counted(47.9, 300), "upload": counted(19.3, 300)},
            "usual": {"downloadSpeedMbps": 47.8, "uploadSpeedMbps": 19.2}, "plan": {"downloadSpeedMbps": None, "uploadSpeedMbps": None}, "skipped": None, "nextAt": at(-3000), "running": None,
            "servers": ["Frankfurt"], "canStart": True, "reason": None, "canStartAt": None,
        },
        "budget": {
            "dayLimitBytes": 4_000_000_000, "dayUsedBytes": 1_900_000_000, "monthLimitBytes": 50_000_000_000, "monthUsedBytes": 31_000_000_000,
            "resetsAt": at(-86400 * 9),
        },
        "estimate": "about 8 GB a month at this line's speed", "requirements": requirements(),
        "latency": {"seconds": 0.0213, "jitterSeconds": 0.0031, "lossRatio": 0, "ageSeconds": 1},
        "hosts": ["check.example"], "queue": {"enabled": False, "pending": None},
    }


def offline(cause, summary, reason, advice, stations, *faults, ago=90):
    status = online()
    status |= {"cause": cause, "summary": summary, "since": at(ago), "stations": stations, "faults": list(faults), "requirements": all_fail(reason, advice, quality="offline", source="estimated")}
    status["snapshot"] |= {"online": False, "quality": "offline", "since": at(ago), "internetState": reason}
    status["outages"] = [{"cause": cause, "startedAt": at(ago), "endedAt": None, "seconds": 5}] + status["outages"][:4]
    status["speedTest"] |= {"canStart": False, "reason": "the host is not online"}
    # Of the time before.
    status["latency"]["ageSeconds"] = ago
    down = "192.0.2.7:443: no route to the host"
    status["targets"] = targets(
        target("web", "down", ago, reason="unreachable", detail=down), target("mail.example.com", "down", ago, reason="timeout", detail="no answer within 2 s", module="tcp"),
        target("nas"), target("office-vpn", "down", ago, reason="timeout", detail="no answer within 2 s", module="icmp"),
    )
    return status


def starting():
    status = online()
    status |= {
        "startedAt": at(1), "snapshot": None, "since": None, "summary": "Starting: the network has not been evaluated yet.",
        "stations": [station("device", "no device", "unknown", detail="starting"), station("router", "router", "unknown"), station("provider", "provider", "unknown"), station("internet", "Internet", "unknown"), station("dns", "DNS", "unknown")],
        "faults": None,
        "requirements": all_fail("starting", "The evaluation of this network is not complete yet. Try again in a second", quality=None, source="estimated", speed=(None, None)),
        "latency": {"seconds": None, "jitterSeconds": None, "lossRatio": None, "ageSeconds": None}, "uptime": None, "days": [], "outages": [],
        "targets": targets(*[target(name, "unknown", None, None, None, detail="not probed yet", probed=None) for name in ["web", "nas"]]), "estimate": None,
    }
    status["speedTest"] |= {"last": None, "ageSeconds": None, "counted": None, "usual": {"downloadSpeedMbps": None, "uploadSpeedMbps": None}, "canStart": False, "reason": "the host is not online", "nextAt": at(-90)}
    return status


def fresh():
    """Minutes after the start, without a configuration."""
    status = online()
    advice = (
        "No recent speed measurement for this connection. Name a speed-test server: --speedtest.server is cloudflare, mlab (which publishes each result "
        "with this host's address, and needs --speedtest.accept-data-policy) or a server of your own. It learns this host's address and speeds. A test "
        "takes about 200 MB at 100 Mbit/s, at most 500 MB; all tests take at most 20 GB a month"
    )
    status |= {
        "startedAt": at(200), "budget": None, "estimate": None, "targets": targets(),
        "requirements": requirements({name: (["quality_below", "unmeasured"], advice) for name in ["largeDownload", "largeUpload"]}, source="estimated", speed=(None, None)),
        "outages": [{"cause": "no_internet", "startedAt": at(90), "endedAt": at(75), "seconds": 15}],
        "days": [{"date": at(0)[:10], "monitoredSeconds": 200, "offlineSeconds": {"no_internet": 15}}],
        "uptime": {key: {"monitoredSeconds": 200, "offlineSeconds": 15, "ratio": 0.925} for key in ["day", "week", "month"]},
    }
    status["speedTest"] |= {"last": None, "ageSeconds": None, "counted": None, "usual": {"downloadSpeedMbps": None, "uploadSpeedMbps": None}, "canStart": False, "reason": "no speed-test server is configured", "servers": [], "nextAt": None}
    return status


DEVICE = lambda: station("device", "enp0s31f6 · Ethernet")
ROUTER = lambda: station("router", "192.168.178.1", latency=0.0004)
UNREACHED = lambda: station("internet", "Internet", "failed", detail="no host answers")
NO_DNS = lambda: station("dns", "192.168.178.1", "unknown")
NO_INTERNET = ["no_internet", "Connected, but no host on the internet answers. Check the router and the provider"]


def cable():
    return offline(
        "link", "The cable of enp0s31f6 is not connected, its other end is off, or enp0s31f6 is switched off.", "offline",
        "No network connection. Please check your internet",
        [
            station("device", "enp0s31f6 · Ethernet", "failed", detail="link down"), station("router", "router", "unknown", way="failed"),
            station("provider", "provider", "unknown"), station("internet", "Internet", "unknown"), NO_DNS(),
        ],
        fault(
            "link", "outage", "No connection on the cable or Wi-Fi of this computer", "you: the cable or Wi-Fi of this computer",
            "The link is down: no carrier, or switched off.",
        ),
    )


def router():
    return offline(
        "gateway", "Your router does not answer.", *NO_INTERNET,
        [DEVICE(), station("router", "192.168.178.1", "failed", detail="does not answer"), station("provider", "100.64.0.1", "unknown"), UNREACHED(), NO_DNS()],
        fault(
            "router", "outage", "Your router does not answer", "you; at work, your IT",
            "192.168.178.1, your router, is silent: 46 probes in a row have no answer, and it answered before.",
        ),
    )


def unplaced():
    """An outage of a few seconds, or one whose place the evidence does not show."""
    return offline(
        "no_internet", "Your router answers, and nothing on the internet does; where the fault is, is not known.", *NO_INTERNET,
        [DEVICE(), ROUTER(), station("provider", "provider", "unknown"), UNREACHED(), NO_DNS()],
        fault(
            "unknown", "outage", "No connection at a place that is not known yet", "nobody yet", "No server on the internet answers.",
            "The routers on the way have not been seen before the outage, or not probed often enough since.",
        ),
    )


def access():
    return offline(
        "no_internet", "Your router answers, and your provider does not: the fault is between the two.", *NO_INTERNET,
        [DEVICE(), ROUTER(), station("provider", "100.64.0.1", "unknown", way="failed"), UNREACHED(), NO_DNS()],
        fault(
            "access", "outage", "No connection on the line to your provider", MODEM,
            "192.168.178.1, your router, answers: network unreachable.",
        ),
    )


def provider():
    return offline(
        "no_internet", "Your provider, not your network: its first router is reached, and nothing behind it.", *NO_INTERNET,
        [
            DEVICE(), ROUTER(), station("provider", "100.64.0.1", "impaired", latency=0.0089, detail="nothing behind it"),
            UNREACHED() | {"way": "failed"}, NO_DNS(),
        ],
        fault(
            "provider", "outage", "No connection in your provider's network", "the provider", "100.64.0.1, the first hop of your provider, answers.",
            "203.0.113.17, hop 3, at your provider, is silent: 12 probes in a row have no answer, and it answered before.",
        ),
        fault(
            "dns", "outage", "A name server does not work", "the operator of the name server",
            "192.168.178.1, a name server, does not answer: 5 questions in a row.",
        ),
    )


def portal():
    return offline(
        "captive_portal", "A login page blocks the connection. Open any page in a browser and sign in.", "captive_portal",
        "This network requires a login. Open any page in a browser and sign in",
        [
            station("device", "wlp0s20f3 · WiFi"), station("router", "10.0.0.1", latency=0.004), station("provider", "provider", "unknown"),
            station("internet", "Internet", "failed", detail="a login page answers in its place"), station("dns", "10.0.0.1", "unknown"),
        ],
        fault(
            "policy", "outage", "This network blocks the connection", "sign in, or call the operator of this network",
            "A login page answers in place of the internet.",
        ),
    )


def names():
    return offline(
        "dns_broken", "Names lead to no server (DNS); addresses on the internet answer. Check the DNS servers of this network.", "dns_broken",
        "Connected, but names lead to no server. Check the DNS servers of this network",
        [
            DEVICE(), ROUTER(), station("provider", "100.64.0.1", latency=0.0087), station("internet", "Internet", latency=0.0213, detail="addresses answer"),
            station("dns", "192.168.178.1", "failed", detail="names lead to no server"),
        ],
        fault(
            "dns", "outage", "A name server does not work", "the operator of the name server", "Addresses on the internet answer, and no name leads to one.",
            "192.168.178.1, a name server, does not answer: 7 questions in a row.",
        ),
    )


def certificates():
    return offline(
        "tls_untrusted", "Certificates are not trusted: a proxy that inspects TLS, old CA certificates or a wrong clock on this host.", "tls_untrusted",
        "Connected, but certificates are not trusted. Check the clock, the CA certificates and any proxy that inspects TLS",
        [DEVICE(), ROUTER(), station("provider", "100.64.0.1", "unknown"), station("internet", "Internet", "failed", detail="certificates are not trusted"), station("dns", "192.168.178.1", latency=0.0123)],
        fault(
            "policy", "outage", "This network blocks the connection", "sign in, or call the operator of this network",
            "Certificates are not trusted: something on the way inspects TLS, or the CA certificates are old.",
        ),
    )


def losing():
    status = online()
    status["summary"] = "Online via Ethernet (enp0s31f6), losing packets."
    status["snapshot"] |= {"internetState": "degraded", "lossRatio": 0.12, "jitterSeconds": 0.0483}
    status["stations"][3] |= {"state": "impaired", "detail": "losing packets"}
    status["latency"] |= {"jitterSeconds": 0.0483, "lossRatio": 0.12}
    status["requirements"] = requirements({"videoCall": (["loss_above"], "Too many packets are lost. Check the cable or the radio signal")})
    return status


def congested():
    """A line that others fill, and a name server that is dead: the page leads with what is nearer."""
    status = online()
    status["summary"] = "Online via Ethernet (enp0s31f6). Packets are delayed on the line to your provider. The line is full, and not by this computer: another device here, or your provider."
    status["stations"][2] |= {"way": "slow", "latencySeconds": 0.214}
    status["stations"][3] |= {"state": "slow", "latencySeconds": 0.41, "detail": "high latency"}
    status["stations"][4] |= {"state": "impaired", "detail": "a server does not work"}
    status["latency"] |= {"seconds": 0.41, "jitterSeconds": 0.0483}
    status["faults"] = [
        fault(
            "access", "latency", "Packets are delayed on the line to your provider", MODEM,
            "The line is full, and not by this computer: another device here, or your provider.",
            "The way to 192.168.178.1, your router, and back takes 0.2 ms longer than at best.",
            "The way to 100.64.0.1, the first hop of your provider, and back takes 205 ms longer than at best.", ago=840,
        ),
        fault(
            "dns", "outage", "A name server does not work", "the operator of the name server",
            "192.168.178.1, a name server, does not answer: 5 questions in a row.", ago=300,
        ),
    ]
    return status


def weak():
    """A radio that loses packets."""
    status = losing()
    status["summary"] = "Online via WiFi (wlp0s20f3). Packets are lost on the cable or Wi-Fi of this computer."
    status["snapshot"] |= {"connectionType": "wifi", "interfaceName": "wlp0s20f3"}
    status["stations"][0] |= {"label": "wlp0s20f3 · WiFi"}
    status["stations"][1] |= {"way": "impaired", "state": "impaired", "detail": "losing packets"}
    status["faults"] = [
        fault(
            "link", "loss", "Packets are lost on the cable or Wi-Fi of this computer", "you: the cable or Wi-Fi of this computer",
            "14 of 120 probes to 192.168.178.1, your router, were not answered.", "13 of 120 probes to the servers on the internet, were not answered.",
            ago=660,
        )
    ]
    return status


def certificate():
    """One host's certificate is not trusted; the network is online."""
    status = online()
    status["summary"] = "Online via Ethernet (enp0s31f6), the certificate of one host is not trusted."
    status["stations"][3] |= {"state": "impaired", "detail": "the certificate of one host is not trusted"}
    status["snapshot"]["internetState"] = "degraded"
    return status


def slow():
    """A line that carries a fraction of what it usually does, with a high latency."""
    status = online()
    status["snapshot"] |= {"quality": "poor", "latency": 0.41, "downloadSpeedMbps": 1.9, "uploadSpeedMbps": 0.61}
    status["stations"][3] |= {"state": "slow", "latencySeconds": 0.41, "detail": "high latency"}
    status["latency"] |= {"seconds": 0.41, "jitterSeconds": 0.0483}
    status["speedTest"]["last"] |= {"download": rate(1.9), "upload": rate(0.61)}
    status["speedTest"]["counted"] = {"download": counted(1.9, 300), "upload": counted(0.61, 300)}
    status["speedTest"]["plan"] = {"downloadSpeedMbps": 100, "uploadSpeedMbps": None}
    fails = {name: (["throughput_below"], SLOW) for name in ["videoStreaming", "largeDownload"]}
    fails |= {"largeUpload": (["throughput_below", "upload_below"], SLOW), "videoCall": (["upload_below", "latency_above"], UPLOAD)}
    status["requirements"] = requirements(fails, quality="poor", speed=(1.9, 0.61))
    for health in status["requirements"]:
        health["latencySeconds"] = 0.41
    return status


def waiting():
    """The last time of the schedule was skipped, and `min_gap` forbids a test for almost three minutes."""
    status = online()
    status["speedTest"] |= {
        "skipped": {"reason": "busy", "at": at(1260)}, "canStart": False, "reason": "the last speed test began less than speedtest.min_gap ago", "canStartAt": at(-175),
    }
    return status


def doubtful():
    """A download that the device did not receive, and an upload that varied."""
    status = online()
    status["speedTest"]["last"] |= {"download": rate(953, exceeds=True, stable=False), "upload": rate(19.3, stable=False, uncertainty=0.14)}
    status["speedTest"]["counted"] = {"download": counted(953, 300, exceeds=True), "upload": counted(19.3, 300, uncertainty=0.14)}
    return status


def limited():
    """The processor of this machine limited the download."""
    status = online()
    status["speedTest"]["last"]["download"] = rate(48.2, ["cpu"])
    status["speedTest"]["counted"]["download"] = counted(48.2, 300, bound=True)
    advice = "The processor of this machine limited the speed test. Run one when the machine is less busy"
    status["requirements"] = requirements({"largeDownload": (["unmeasured"], advice), "largeUpload": (["upload_below", "unmeasured"], UPLOAD)}, speed=(48.2, 19.3))
    return status


def uplink(name, active=False, online=True, latency=0.0213, **facts):
    return {
        "name": name, "provider": None, "device": name, "routers": ["192.168.178.1"], "active": active, "testable": True, "reason": None,
        "explanation": None, "online": online, "cause": None, "since": None, "expensive": False, "latencySeconds": latency, "lossRatio": 0,
        "answeredAt": None if active else at(20),
        "record": None,
    } | facts


def uplinks():
    """Four ways to the internet: in use, a standby that would work, one that would not, and one that cannot be tested."""
    status = online()
    filtered = "Strict reverse path filtering would drop the answers: set rp_filter of the device and of all to 2 or 0."
    status["uplinks"] = [
        uplink("lte", latency=0.0483, provider="Mobile Ltd", device="wwan0", expensive=True, lossRatio=0.02) | {"answeredAt": at(700)},
        uplink("cable", active=True, provider="Cable Ltd", device="enp0s31f6"),
        uplink("neighbour", online=False, latency=None, device="wlp0s20f3", cause="no_internet", since=at(4200)),
        uplink("enx00e04c680001", online=None, latency=None, testable=False, reason="rp_filter", explanation=filtered) | {"answeredAt": None},
    ]
    return status


def testing():
    status = online()
    status["speedTest"] |= {"running": {"server": "Frankfurt", "phase": "download", "fraction": 0.42, "speedMbps": 41.3}, "canStart": False, "reason": "a speed test is running"}
    return status


def target_down():
    status = online()
    failed = target("mail.example.com", "down", 540, reason="refused", detail="198.51.100.7:25: connection refused", module="tcp", loss=0.93)
    old = target("office-vpn", probed=1380, module="icmp", paused="expensive")
    unknown = target("printer", "unknown", None, None, None, detail="not probed yet", probed=None)
    status["targets"] = targets(failed, unknown, target("nas"), target("web"), old)
    return status


def metered():
    """A phone shares its connection: it costs money, and the month's budget of tests is used up."""
    status = online()
    status["stations"][0] |= {"label": "wlp0s20f3 · WiFi"}
    status["snapshot"] |= {"isExpensive": True, "expensiveSource": "tether", "isConstrained": True, "constrainedSource": "nm_guess", "connectionType": "wifi", "interfaceName": "wlp0s20f3"}
    status["summary"] = "Online via WiFi (wlp0s20f3)."
    status["budget"] |= {"monthUsedBytes": 50_000_000_000}
    status["speedTest"] |= {"skipped": {"reason": "expensive", "at": at(1260)}, "canStart": False, "reason": "the path is expensive, and speedtest.on_expensive does not allow it"}
    status["requirements"] = requirements({"unmetered": (["expensive", "constrained"], "This connection is metered. Wait for one that is not")})
    return status


STATES = {
    one.__name__: one
    for one in [
        online, fresh, starting, cable, router, unplaced, access, provider, portal, names, certificates, losing, congested, weak, certificate, slow, waiting, doubtful, limited, testing, uplinks, target_down, metered,
    ]
}


def history(kind):
    """An hour with an outage of five minutes; the exporter was off for ten."""
    minutes = [minute for minute in range(60) if not 25 <= minute < 36]
    if kind == "latency":
        return [{"at": at(60 * minute), "p50": 0.021 + minute / 9000, "p95": 0.034 + minute / 5000, "jitter": 0.003, "loss": 0} for minute in reversed(minutes)]
    if kind == "outages":
        return [{"cause": "no_internet", "startedAt": at(3000), "endedAt": at(2700), "seconds": 300}]
    if kind == "speedtests":
        return [{"startedAt": at(ago), "download": rate(speed), "upload": rate(19)} for ago, speed in [(3400, 47.2), (1500, 48.4), (318, 47.9)]]
    return []
