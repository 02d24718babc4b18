// Of one host: speed tests and requirements.
local p = import 'panels.libsonnet';
local states = import 'states.libsonnet';

[
  p.row('Speed: $instance', [
    p.series('Speed', 'The last good value. A failed or skipped test does not change it; see its age.', [
      { expr: 'network_health_speedtest_download_bytes_per_second{SEL} * 8', legend: 'download {{server}}, {{uplink}}' },
      { expr: 'network_health_speedtest_upload_bytes_per_second{SEL} * 8', legend: 'upload {{server}}, {{uplink}}' },
    ], 'bps') + p.nonNegative + p.steps,
    p.series('Age of the values', 'Values above the dashed line are stale. With several servers and `strategy: first_working`, the default, the later ones are tested only when the earlier ones fail: their age can stay high permanently.', [
      { expr: 'time() - network_health_speedtest_last_success_timestamp_seconds{SEL}', legend: 'age, {{server}}, {{uplink}}' },
      { expr: 'network_health_speedtest_stale_after_seconds{SEL}', legend: 'stale from' },
    ], 's') + p.nonNegative + p.dashed('stale from'),
    p.series('Latency idle and under load', 'The latency without load, and under load (bufferbloat). The latency under load is absent where a test was too short for eight samples.', [
      { expr: 'network_health_speedtest_idle_latency_seconds{SEL}', legend: 'idle {{server}}, {{uplink}}' },
      { expr: 'network_health_speedtest_loaded_latency_seconds{SEL}', legend: '{{direction}} {{server}}, {{uplink}}' },
    ], 's') + p.steps,
    p.bars('Failed and skipped tests', 'A skipped test is not a failed test: it was due or requested, and did not start because of its reason: offline, expensive, cost_unknown, constrained, budget, storage, window, busy, running or gap.', [
      { expr: p.counted('network_health_speedtest_failures_total{SEL}'), legend: 'failed: {{reason}}' },
      { expr: p.counted('network_health_speedtest_skipped_total{SEL}'), legend: 'skipped: {{reason}}' },
    ]),
    p.timeline('What limited the last test', 12, 8, 'A limit other than the path: the value is a lower bound of its speed. `cross_traffic`: other programs of this host used the link.', [
      { expr: 'network_health_speedtest_limited{SEL}', legend: '{{direction}}: {{reason}} ({{server}}, {{uplink}})' },
    ]) + p.states(states.warning),
    p.timeline('Where packets waited in the last test', 12, 8, 'Under the load of each direction, by probes of the routers on the way: on the cable or radio of this host, between the router and the provider (access), behind it, nowhere, or unknown. Empty where the way is not probed, and for a test against this host.', [
      { expr: 'network_health_speedtest_queue_location{SEL}', legend: '{{direction}}: {{location}} ({{server}}, {{uplink}})' },
    ]) + p.states(states.warning),
    p.bargauge('Budget left', 6, 8, 'The remaining bytes that speed tests may transfer in this day and this month.', [
      {
        expr: 'network_health_speedtest_budget_remaining_bytes{SEL,period=~"day|month"} / network_health_speedtest_budget_bytes{SEL,period=~"day|month"}',
        legend: '{{period}}',
      },
    ], 'percentunit') + p.defaults({ max: 1 }) + p.thresholds([[null, 'red'], [0.1, 'orange'], [0.3, 'green']]),
    p.stat('Bytes of speed tests in the time range', 6, 'Failed tests included.', [
      { expr: 'increase(network_health_speedtest_receive_bytes_total{SEL}[$__range])', legend: 'received' },
      { expr: 'increase(network_health_speedtest_transmit_bytes_total{SEL}[$__range])', legend: 'sent' },
    ], 'decbytes') + p.options({ textMode: 'value_and_name' }) + { gridPos+: { h: 8 } },
  ], repeat='instance'),
  p.row('Requirements: $instance', [
    p.timeline('Quality', 24, 4, 'By the measured download speed, else estimated from the path.', [
      { expr: 'network_health_quality_level{SEL}', legend: 'quality' },
      { expr: 'network_health_quality_measured{SEL}', legend: 'basis' },
    ]) + p.query('A', { mappings: p.mapping(states.quality) }) + p.query('B', { mappings: p.mapping(states.basis) }),
    p.timeline('Satisfied requirements', 24, 9, 'The built-in requirements and those of the configuration.', [
      { expr: 'network_health_requirement_satisfied{SEL}', legend: '{{requirement}}' },
    ]) + p.states(states.satisfied),
  ], repeat='instance'),
]
