// Of one host: latency, loss and targets.
local p = import 'panels.libsonnet';
local states = import 'states.libsonnet';
local config = import '../config.libsonnet';

[
  p.row('Latency and loss: $instance', [
    p.series('Router, internet, name servers', 'The first of them that is slow is the cause. The router: the target `gateway`. The internet: the median of the last five minutes. Name servers: targets with the module `dns`; empty without one.', [
      { expr: 'network_health_target_latency_seconds{SEL,target="gateway"}', legend: 'router' },
      { expr: 'network_health_latency_seconds{SEL}', legend: 'internet' },
      {
        expr: 'network_health_target_latency_seconds{SEL} and on (job, instance, target) network_health_target_info{SEL,module="dns"}',
        legend: 'name server {{target}}',
      },
    ], 's') + p.nonNegative,
    p.series('Latency and jitter of the network', 'Of the last five minutes: from the targets with global addresses (or with `counts_for_latency: true`), else from the internet probes, else from the TCP connections of other programs; empty without any of them. The connections of other programs provide no jitter; other sources do from ten samples on.', [
      { expr: 'network_health_latency_seconds{SEL}', legend: 'latency' },
      { expr: 'network_health_jitter_seconds{SEL}', legend: 'jitter' },
    ], 's'),
    p.heatmap('Round trips to targets', 'How many probes took how long: a second band is a second path or a queue. Empty without `icmp` and `tcp` targets.',
              'sum by (le) (increase(network_health_target_rtt_seconds_bucket{SEL}[$__rate_interval]))'),
    p.heatmap('Checks of the internet', 'How long the successful background checks took, with their name resolution and connection. Empty with `internet: { enabled: false }`.',
              'sum by (le) (increase(network_health_internet_probe_duration_seconds_bucket{SEL}[$__rate_interval]))'),
    p.series('Latency of each target', 'The median of the last 100 probes; empty without `targets` in the configuration.', [
      { expr: 'network_health_target_latency_seconds{SEL}', legend: '{{target}}' },
    ], 's'),
    p.series('Loss', 'The loss ratio of the last 100 probes, which therefore decreases slowly; empty without `targets`. For the network, of the `icmp` and `tcp` targets that count, and of at most 30 minutes.', [
      { expr: 'network_health_loss_ratio{SEL}', legend: 'the network' },
      { expr: 'network_health_target_loss_ratio{SEL}', legend: '{{target}}' },
    ], 'percentunit') + p.nonNegative + p.thresholds([[null, 'transparent'], [config.lossRatio, 'red']])
    + p.defaults({ custom+: { thresholdsStyle: { mode: 'line' } } }),
    p.series('Phases of HTTP targets', 'Where the time of the last probe went: name resolution, connection, TLS, the processing of the server, and the transfer. Empty without `http` or `graphql` targets.', [
      {
        expr: 'network_health_target_phase_duration_seconds{SEL} and on (job, instance, target) network_health_target_info{SEL,module=~"http|graphql"}',
        legend: '{{target}}: {{phase}}',
      },
    ], 's') + p.nonNegative,
    p.series('Name servers, each asked for itself', 'How long the last answer of each configured name server took; absent while it does not answer: a dead first one delays each lookup by seconds. Empty where the routers on the way are not probed.', [
      { expr: 'network_health_resolver_duration_seconds{SEL}', legend: '{{resolver}}' },
    ], 's') + p.nonNegative,
    p.series('Wi-Fi signal', 'The strength of the signal of the access point; below -75 dBm the rates fall. Empty without Wi-Fi.', [
      { expr: 'network_health_wifi_signal_dbm{SEL}', legend: '{{device}}' },
    ], 'dBm'),
    p.timeline('Targets up', 12, 8, 'The result of the last probe of each target; the target `gateway` is the router. A target that is paused on an expensive path keeps its last state.', [
      { expr: 'network_health_target_up{SEL}', legend: '{{target}}' },
    ]) + p.states(states.up),
  ], repeat='instance'),
]
