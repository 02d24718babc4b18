import NetworkHealth
import NetworkPath
import Probing
import SpeedTestCore

extension OpenAPIDocument {
    static let schemas = #"""
        "schemas": {
        \#([general, healthSchema, snapshotSchema, transitions, speedTests].joined(separator: ",\n"))
        }
        """#

    private static let general = #"""
          "Error": {
            "description": "Why a request was refused.",
            "type": "object",
            "required": ["error"],
            "properties": {"error": {"type": "string", "minLength": 1}}
          },
          "Duration": {
            "description": "Whole numbers with units, the larger unit first and each once, such as `50ms`, `1h30m` or `90d`; or `0`. At most a century.",
            "type": "string",
            "minLength": 1,
            "pattern": "^(0|([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)$"
          },
          "Quality": {
            "description": "By the download: excellent from 50 Mbit/s, good from 10, moderate from 1; offline without a connection.",
            "type": "string",
            "enum": [\#(words(NetworkQuality.self))]
          },
          "QualitySource": {
            "description": "Whether a speed was measured on this uplink, or the quality is estimated from the path.",
            "type": "string",
            "enum": ["measured", "estimated"]
          },
          "ConnectionType": {"type": "string", "enum": [\#(words(ConnectionType.self))]},
          "Status": {"type": "string", "enum": [\#(words(NetworkStatus.self))]},
          "UnsatisfiedReason": {
            "description": "Why the path is not satisfied; null while it is.",
            "type": ["string", "null"],
            "enum": [\#(words(Path.UnsatisfiedReason.self)), null]
          },
          "InternetState": {
            "description": "What the probes of the internet found; null where they are off or have not begun.",
            "type": ["string", "null"],
            "enum": [\#(words(InternetState.self)), null]
          },
          "CostSource": {
            "description": "What decided it.",
            "type": "string",
            "enum": [\#(words(CostSource.self))]
          }
        """#

    private static let healthSchema = #"""
          "Health": {
            "type": "object",
            "required": [
              "requirement", "passed", "currentQuality", "requiredQuality", "reasons", "recommendation", "quality",
              "nextMeasurementAt", "downloadMbps", "uploadMbps", "latencySeconds", "expensive", "constrained"
            ],
            "properties": {
              "requirement": {"type": "string"},
              "passed": {"type": "boolean"},
              "currentQuality": {"type": ["string", "null"], "enum": [\#(words(NetworkQuality.self)), null]},
              "requiredQuality": {"type": ["string", "null"], "enum": [\#(words(NetworkQuality.self)), null]},
              "reasons": {
                "description": "Why it does not hold; empty while it does.",
                "type": "array",
                "items": {"type": "string", "enum": [\#(words(HealthReason.self))]}
              },
              "recommendation": {"description": "For people.", "type": "string"},
              "quality": {
                "type": ["object", "null"],
                "required": ["source", "measuredAt", "ageSeconds"],
                "properties": {
                  "source": {"$ref": "#/components/schemas/QualitySource"},
                  "measuredAt": {"type": ["string", "null"], "format": "date-time"},
                  "ageSeconds": {"type": ["number", "null"]}
                }
              },
              "nextMeasurementAt": {"type": ["string", "null"], "format": "date-time"},
              "downloadMbps": {"type": ["number", "null"], "minimum": 0},
              "uploadMbps": {"type": ["number", "null"], "minimum": 0},
              "latencySeconds": {"type": ["number", "null"], "minimum": 0},
              "expensive": {"type": ["boolean", "null"]},
              "constrained": {"type": ["boolean", "null"]}
            }
          }
        """#

    private static let snapshotSchema = #"""
          "Snapshot": {
            "type": "object",
            "required": [
              "quality", "connectionType", "isExpensive", "isConstrained", "interfaceName", "timestamp", "downloadSpeedMbps",
              "uploadSpeedMbps", "latency", "online", "status", "unsatisfiedReason", "internetState", "underlay",
              "expensiveSource", "constrainedSource", "qualitySource", "measurementAgeSeconds", "jitterSeconds", "lossRatio"
            ],
            "properties": {
              "quality": {"$ref": "#/components/schemas/Quality"},
              "connectionType": {"$ref": "#/components/schemas/ConnectionType"},
              "isExpensive": {"type": "boolean"},
              "isConstrained": {"type": "boolean"},
              "interfaceName": {"type": ["string", "null"]},
              "timestamp": {"type": "string", "format": "date-time"},
              "downloadSpeedMbps": {"type": ["number", "null"], "minimum": 0},
              "uploadSpeedMbps": {"type": ["number", "null"], "minimum": 0},
              "latency": {"description": "In seconds.", "type": ["number", "null"], "minimum": 0},
              "online": {"description": "null before the first verdict about the internet on a path that is new or came back.", "type": ["boolean", "null"]},
              "status": {"$ref": "#/components/schemas/Status"},
              "unsatisfiedReason": {"$ref": "#/components/schemas/UnsatisfiedReason"},
              "internetState": {"$ref": "#/components/schemas/InternetState"},
              "underlay": {"description": "The device that a tunnel stands on.", "type": ["string", "null"]},
              "expensiveSource": {"$ref": "#/components/schemas/CostSource"},
              "constrainedSource": {"$ref": "#/components/schemas/CostSource"},
              "qualitySource": {"$ref": "#/components/schemas/QualitySource"},
              "measurementAgeSeconds": {"type": ["number", "null"]},
              "jitterSeconds": {"type": ["number", "null"], "minimum": 0},
              "lossRatio": {"type": ["number", "null"], "minimum": 0, "maximum": 1}
            }
          }
        """#

    private static let transitions = #"""
          "Transition": {
            "description": "What is known of the network from a time on; there is one where any other field than the times is new.",
            "type": "object",
            "required": [
              "at", "online", "status", "unsatisfiedReason", "internetState", "interfaceName", "connectionType", "quality",
              "outageCause", "outageSeconds"
            ],
            "properties": {
              "at": {"type": "string", "format": "date-time"},
              "online": {
                "description": "null before the first verdict about the internet on a path that is new or came back.",
                "type": ["boolean", "null"]
              },
              "status": {"$ref": "#/components/schemas/Status"},
              "unsatisfiedReason": {"$ref": "#/components/schemas/UnsatisfiedReason"},
              "internetState": {"$ref": "#/components/schemas/InternetState"},
              "interfaceName": {"type": ["string", "null"]},
              "connectionType": {"$ref": "#/components/schemas/ConnectionType"},
              "quality": {"$ref": "#/components/schemas/Quality"},
              "outageCause": {
                "description": "Of the outage that goes on, or that ends here; as in `network_health_outages_total`.",
                "type": ["string", "null"],
                "enum": [\#(words(OutageCause.self)), null]
              },
              "outageSeconds": {
                "description": "How long the outage took that ends here; null for every other transition.",
                "type": ["number", "null"],
                "minimum": 0
              }
            }
          },
          "MinuteLatency": {
            "description": "The latency of the single probes of one minute, in seconds; `loss` is the share that failed, from 0 to 1.",
            "type": "object",
            "required": ["at", "p50", "p95", "jitter", "loss"],
            "properties": {
              "at": {"type": "string", "format": "date-time"},
              "p50": {"type": ["number", "null"], "minimum": 0},
              "p95": {"type": ["number", "null"], "minimum": 0},
              "jitter": {"type": ["number", "null"], "minimum": 0},
              "loss": {"type": ["number", "null"], "minimum": 0, "maximum": 1}
            }
          }
        """#

    private static let speedTests = #"""
          "SpeedTest": {
            "description": "One test; a part that was not measured is null.",
            "type": "object",
            "required": ["server", "protocol", "host", "startedAt", "durationSeconds", "ping", "download", "upload", "error"],
            "properties": {
              "server": {"description": "Its name in the configuration.", "type": "string"},
              "protocol": {"type": "string", "enum": [\#(words(SpeedTestProtocol.self))]},
              "host": {"type": "string"},
              "startedAt": {"type": "string", "format": "date-time"},
              "durationSeconds": {"type": "number", "minimum": 0},
              "ping": {
                "type": ["object", "null"],
                "required": ["latencySeconds", "jitterSeconds"],
                "properties": {
                  "latencySeconds": {"type": "number", "minimum": 0},
                  "jitterSeconds": {"type": "number", "minimum": 0}
                }
              },
              "download": {"oneOf": [{"$ref": "#/components/schemas/Transfer"}, {"type": "null"}]},
              "upload": {"oneOf": [{"$ref": "#/components/schemas/Transfer"}, {"type": "null"}]},
              "error": {"description": "Why it failed; null where it did not.", "type": ["string", "null"]}
            }
          },
          "Transfer": {
            "description": "One direction of a speed test.",
            "type": "object",
            "required": [
              "speedMbps", "bytesTransferred", "durationSeconds", "loadedLatencySeconds", "responsivenessRpm", "stable",
              "limitedBy", "congestionControl"
            ],
            "properties": {
              "speedMbps": {"type": "number", "minimum": 0},
              "bytesTransferred": {"type": "integer", "minimum": 0},
              "durationSeconds": {"description": "Of the measured window.", "type": "number", "minimum": 0},
              "loadedLatencySeconds": {"type": ["number", "null"], "minimum": 0},
              "responsivenessRpm": {"type": ["number", "null"], "minimum": 0},
              "stable": {"type": "boolean"},
              "limitedBy": {
                "description": "What held the figure down, as far as that can be known.",
                "type": "array",
                "items": {"type": "string", "enum": [\#(words(DirectionReport.Limit.self))]}
              },
              "congestionControl": {"type": ["string", "null"]}
            }
          },
          "SpeedTestProgress": {
            "description": "How far a running test is.",
            "type": "object",
            "required": ["phase", "fraction", "speedMbps"],
            "properties": {
              "phase": {"type": "string", "enum": [\#(words(SpeedTestProgress.Phase.self))]},
              "fraction": {"description": "Of the phase, an estimate.", "type": "number", "minimum": 0, "maximum": 1},
              "speedMbps": {"type": ["number", "null"], "minimum": 0}
            }
          }
        """#
}
