// Of one host: its state now, and its path.
local p = import 'panels.libsonnet';
local states = import 'states.libsonnet';

local latency = 'Of the last five minutes: from the targets with global addresses (or with `counts_for_latency: true`), else from the internet probes, else from the TCP connections of other programs; empty without any of them.';
local speed = 'The last good value. A failed or skipped test does not change it; see its age.';
local rates = p.thresholds([[null, 'red'], [1e6, 'orange'], [1e7, 'green'], [5e7, 'dark-green']]);

[
  p.row('Now: $instance', [
    p.stat('Online', 4, 'Connected, and the internet is reachable where it is probed.', [{ expr: 'network_health_online{SEL}' }])
    + p.states(states.online) + p.defaults({ noValue: 'no verdict' }),
    p.stat('Quality', 4, 'Estimated from the path until a speed test has measured it.', [
      { expr: 'network_health_quality_level{SEL}', legend: 'quality' },
      { expr: 'network_health_quality_measured{SEL}', legend: 'basis' },
    ]) + p.states(states.quality) + p.query('B', { mappings: p.mapping(states.basis) }) + p.options({ textMode: 'value' }),
    p.stat('Interface', 4, 'The interface that carries traffic; absent without a path.', [
      { expr: 'network_health_interface_info{SEL}', legend: '{{device}} ({{interface_type}})' },
    ]) + p.defaults({ noValue: 'none' }) + p.options({ textMode: 'name' }),
    p.stat('Internet', 4, 'The state of the internet. Absent with `internet: { enabled: false }`, which sends no probes.', [
      { expr: states.internet.expr },
    ]) + p.states(states.internet.names) + p.defaults({ noValue: 'not asked' }),
    p.stat('Cost', 4, 'Expensive: data costs money on this path. Constrained: the user wants to save data. By default no speed test runs on either.', [
      { expr: 'network_health_expensive{SEL}', legend: 'expensive' },
      { expr: 'network_health_constrained{SEL}', legend: 'constrained' },
    ]) + p.states(states.warning) + p.options({ textMode: 'value_and_name' }),
    p.stat('Age of the speed test', 4, 'The time since the last test that measured everything requested, and the age from which a result is stale: twice the longest gap of the schedule, or of the budget. Empty without a speed-test server, or before its first success.', [
      { expr: 'time() - network_health_speedtest_last_success_timestamp_seconds{SEL}', legend: '{{server}}, {{uplink}}' },
      { expr: 'network_health_speedtest_stale_after_seconds{SEL}', legend: 'stale from' },
    ], 's') + p.defaults({ noValue: 'none yet', decimals: 0 }) + p.options({ textMode: 'value_and_name' }),
    p.stat('Latency', 6, latency, [{ expr: 'network_health_latency_seconds{SEL}' }], 's')
    + p.thresholds([[null, 'green'], [0.1, 'yellow'], [0.3, 'red']]),
    p.stat('Loss', 6, 'Outside of outages, of the last 100 packets of at most 30 minutes to the `icmp` and `tcp` targets with global addresses, or with `counts_for_latency: true`; empty without such a target, and below 60 packets.', [
      { expr: 'network_health_loss_ratio{SEL}' },
    ], 'percentunit') + p.thresholds([[null, 'green'], [0.01, 'yellow'], [0.05, 'red']]),
    p.stat('Download', 6, speed, [
      { expr: 'network_health_speedtest_download_bytes_per_second{SEL} * 8', legend: '{{server}}, {{uplink}}' },
    ], 'bps') + rates,
    p.stat('Upload', 6, speed, [
      { expr: 'network_health_speedtest_upload_bytes_per_second{SEL} * 8', legend: '{{server}}, {{uplink}}' },
    ], 'bps') + rates,
  ], repeat='instance'),
  p.row('Path: $instance', [
    p.timeline('Path, interface, internet, cost', 24, 10, 'Times without a scrape are empty, and in a long time range a state that is shorter than a step may not be shown; the outages below are counted nevertheless. The internet is absent with `internet: { enabled: false }`.', [
      { expr: states.path.expr, legend: 'path' },
      { expr: states.interface.expr, legend: 'interface' },
      { expr: states.internet.expr, legend: 'internet' },
      { expr: 'network_health_expensive{SEL}', legend: 'expensive' },
      { expr: 'network_health_constrained{SEL}', legend: 'constrained' },
      { expr: 'network_health_internet_degraded_reason{SEL}', legend: 'degraded: {{reason}}' },
    ])
    + p.query('A', { mappings: p.mapping(states.path.names) })
    + p.query('B', { mappings: p.mapping(states.interface.names) })
    + p.query('C', { mappings: p.mapping(states.internet.names) })
    + p.query('D', { mappings: p.mapping(states.warning) })
    + p.query('E', { mappings: p.mapping(states.warning) })
    + p.query('F', { mappings: p.mapping(states.warning) }),
    p.timeline('My network or my provider?', 24, 4, 'Whether the router answers pings, and whether the internet does, also where names lead to no server (DNS broken); empty while that is not known. The router is empty in a container, on a point-to-point link, where it drops pings, and with `gateway: { enabled: false }`.', [
      { expr: 'network_health_target_up{SEL,target="gateway"}', legend: 'router' },
      // An unknown state is not a bad one.
      { expr: 'sum without (state) (network_health_internet_state{SEL,state=~"online|degraded|tls_untrusted|dns_broken"}) unless on (job, instance) network_health_internet_state{SEL,state="unknown"} == 1', legend: 'internet' },
    ]) + p.states(states.answers),
    p.series('Device throughput', 'Is somebody downloading? What the devices carry that the path has used, for all programs of this host, and the speed of the link (dashed; absent where the kernel does not know it).', [
      { expr: 'rate(network_health_device_receive_bytes_total{SEL}[$__rate_interval]) * 8', legend: 'received, {{device}}' },
      { expr: 'rate(network_health_device_transmit_bytes_total{SEL}[$__rate_interval]) * 8', legend: 'sent, {{device}}' },
      { expr: 'network_health_device_link_speed_bytes_per_second{SEL} * 8', legend: 'link, {{device}}' },
    ], 'bps', w=24) + p.nonNegative + p.query('C', {
      color: { mode: 'fixed', fixedColor: 'red' },
      'custom.lineStyle': { fill: 'dash', dash: [10, 10] },
      'custom.fillOpacity': 0,
    }),
  ], repeat='instance'),
]
