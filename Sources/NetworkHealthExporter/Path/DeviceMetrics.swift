import Netlink
import NetworkPath
import PrometheusExposition

/// The kernel's counters of the devices that carried the path.
enum DeviceMetrics {
    static func families(_ devices: [String: DeviceCounters]) -> [MetricFamily] {
        let devices = devices.sorted { $0.key < $1.key }
        func samples<Value: MetricValueConvertible>(_ value: (DeviceCounters) -> Value?) -> [Sample] {
            devices.compactMap { name, counters in
                value(counters).map { Sample(labels: ["device": name], $0) }
            }
        }
        return [
            .counter(
                "network_health_device_carrier_changes_total",
                help: "How often the device gained or lost its carrier.",
                samples: samples { $0.carrierChanges }
            ),
            .counter(
                "network_health_device_receive_bytes_total",
                help: "Bytes received by a device that carried the path.",
                samples: samples { $0.receivedBytes }
            ),
            .counter(
                "network_health_device_transmit_bytes_total",
                help: "Bytes sent by a device that carried the path.",
                samples: samples { $0.transmittedBytes }
            ),
            .gauge(
                "network_health_device_link_speed_bytes_per_second",
                help: "The negotiated speed of the device's link; absent where the kernel does not know it.",
                samples: samples { $0.linkSpeed.map { Double($0) / 8 } }
            ),
            .gauge(
                "network_health_device_link_speed_max_bytes_per_second",
                help:
                    "The highest speed that both ends of the device's cable offer; absent where one of them is not known.",
                samples: samples { $0.maxLinkSpeed.map { Double($0) / 8 } }
            ),
            .counter(
                "network_health_device_receive_errors_total",
                help: "Frames with errors that a device received that carried the path.",
                samples: samples { $0.receiveErrors }
            ),
            .gauge(
                "network_health_wifi_signal_dbm",
                help: "Strength of the access point's signal, as the device of the path receives it.",
                samples: samples { $0.station?.signal }
            ),
            .gauge(
                "network_health_wifi_receive_bits_per_second",
                help: "Rate at which the radio received last.",
                samples: samples { $0.station?.receiveRate }
            ),
            .gauge(
                "network_health_wifi_transmit_bits_per_second",
                help: "Rate at which the radio sent last.",
                samples: samples { $0.station?.transmitRate }
            ),
            .counter(
                "network_health_wifi_retries_total",
                help: "How often the radio sent a frame again; starts again with each association.",
                samples: samples { $0.station?.retries }
            ),
        ]
    }
}
