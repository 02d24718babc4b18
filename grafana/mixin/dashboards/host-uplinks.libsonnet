// Of one host: its ways to the internet.
local p = import 'panels.libsonnet';
local states = import 'states.libsonnet';

[
  p.row('Uplinks: $instance', [
    p.timeline('Uplink in use', 12, 8, 'Over which uplinks traffic leaves: the device, in a tunnel the one below it, too. Here and in the next panels: empty until a second uplink was there.', [
      { expr: 'network_health_uplink_active{SEL}', legend: '{{uplink}}' },
    ]) + p.states(states.used),
    p.timeline('Does each uplink reach the internet?', 12, 8, 'Also of those that are not in use. Empty while it is not known; orange while it is not tested, the reason is in the JSON.', [
      { expr: 'network_health_uplink_online{SEL}', legend: '{{uplink}}' },
      { expr: 'network_health_uplink_testable{SEL} == 0 unless network_health_uplink_online{SEL}', legend: '{{uplink}}' },
    ]) + p.states(states.answers) + p.query('B', { mappings: p.mapping(states.untested) }),
    p.series('Latency of each uplink', 'Of the one in use that of the network, of others the median of the last ten answers to probes.', [
      { expr: 'network_health_uplink_latency_seconds{SEL}', legend: '{{uplink}}' },
    ], 's') + p.nonNegative,
    p.series('Loss of each uplink', 'Of the one in use that of the network, of others the share of the last 100 probes, from 20 on.', [
      { expr: 'network_health_uplink_loss_ratio{SEL}', legend: '{{uplink}}' },
    ], 'percentunit') + p.nonNegative,
    p.bars('Outages of each uplink', 'In use or not; counted once each, as they happen.', [
      { expr: p.counted('network_health_uplink_outages_total{SEL}'), legend: '{{uplink}}' },
    ]),
    p.bars('Switches to each uplink', 'How often the path was switched to it from another one (route), or the way behind its router changed (hop, address).', [
      { expr: p.counted('network_health_uplink_switches_total{SEL}'), legend: '{{uplink}} {{source}}' },
    ]),
    p.bargauge('Time in use', 12, 6, 'In the time range.', [
      { expr: 'increase(network_health_uplink_active_seconds_total{SEL}[$__range])', legend: '{{uplink}}' },
    ], 's'),
    p.bargauge('Time without internet', 12, 6, 'In the time range, in use or not.', [
      { expr: 'increase(network_health_uplink_offline_seconds_total{SEL}[$__range])', legend: '{{uplink}}' },
    ], 's') + p.thresholds([[null, 'green'], [1, 'orange'], [300, 'red']]),
  ], repeat='instance'),
]
