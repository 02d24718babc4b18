import NetworkPath
import PrometheusExposition

/// The kernel's counters of the devices that carried the path, read several times per second.
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
                help: "Bytes received by a device that carried the path, read several times per second.",
                samples: samples { $0.receivedBytes }
            ),
            .counter(
                "network_health_device_transmit_bytes_total",
                help: "Bytes sent by a device that carried the path, read several times per second.",
                samples: samples { $0.transmittedBytes }
            ),
            .gauge(
                "network_health_device_link_speed_bytes_per_second",
                help: "The negotiated speed of the device's link; absent where the kernel does not know it.",
                samples: samples { $0.linkSpeed.map { Double($0) / 8 } }
            ),
        ]
    }
}
