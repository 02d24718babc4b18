// One host; with several, its rows are repeated for each.
local p = import 'panels.libsonnet';

p.dashboard(
  'network-health',
  'Network health',
  'The network of one host, from network-health-exporter: connectivity, interface, latency and speed.',
  'now-24h',
  (import 'host-now.libsonnet') + (import 'host-latency.libsonnet') + (import 'host-speed.libsonnet') + (import 'host-outages.libsonnet')
  + (import 'host-uplinks.libsonnet'),
  annotations=[
    p.annotation('Outages', 'red', 'network_health_last_outage_start_timestamp_seconds{SEL} * 1000 * on (job, instance) group_left (cause) network_health_last_outage_info{SEL}', 'Outage: {{cause}}'),
    p.annotation('Transitions', 'blue', 'network_health_last_transition_timestamp_seconds{SEL} * 1000', 'Transition'),
  ],
  links=[p.link('Where it is broken', p.why), p.link('All hosts', p.all)],
)
