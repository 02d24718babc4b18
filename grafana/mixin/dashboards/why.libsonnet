// Where a fault is, beside what each router on the way answers; the rows are repeated for each chosen instance.
local p = import 'panels.libsonnet';
local states = import 'states.libsonnet';

// The place of a router, for the legend.
local located = ' * on (job, instance, hop, family) group_left (location) network_health_hop_info{SEL}';
local hop = 'hop {{hop}}, {{location}} ({{family}})';

p.dashboard(
  'network-health-why',
  'Network health: where it is broken',
  'The places of faults, from network-health-exporter, beside what was measured on the way to the internet.',
  'now-24h',
  [
    p.row('Where: $instance', [
      p.stat('Place of the fault', 6, 'The one that is nearest to this host. Unknown: there is a fault, and the evidence does not decide where. docs/where.md has the rules, and whom to call; `network-health-exporter diagnose` prints the evidence.', [
        { expr: states.place.expr },
      ]) + p.states(states.place.names),
      p.stat('Faults', 6, 'How many places and kinds there are now; several may hold at once.', [
        { expr: 'sum by (job, instance) (network_health_fault{SEL})' },
      ], 'short') + p.thresholds([[null, 'green'], [1, 'red']]),
      p.stat('Online', 6, 'Connected, and the internet is reachable where it is probed.', [{ expr: 'network_health_online{SEL}' }])
      + p.states(states.online) + p.defaults({ noValue: 'no verdict' }),
      p.stat('Place of the last outage', 6, 'The last place that was found while it lasted, with its cause; also of an outage that lasts. Empty before the first one.', [
        { expr: 'network_health_last_outage_info{SEL}', legend: '{{location}} ({{cause}})' },
      ]) + p.defaults({ noValue: 'none' }) + p.options({ textMode: 'name' }),
      p.timeline('Places over time', 24, 10, 'The places and kinds of faults of the time range; no data where there was none. Kinds: `outage` nothing passes, `loss` packets are lost, `latency` packets wait, `throughput` less passes than should, `mtu` large packets vanish.', [
        {
          expr: 'network_health_fault{SEL} and max_over_time(network_health_fault{SEL}[$__range] @ end()) > 0',
          legend: '{{location}}: {{kind}}',
        },
      ]) + p.states(states.fault) + p.defaults({ noValue: 'no fault' }),
    ], repeat='instance'),
    p.row('On the way: $instance', [
      p.series('Latency by hop', 'The first router from which on all points are slower than before ends the stretch that is slow. The median of the last ten answers of each router on the way, and the latency to the internet. In calm times a router is asked each five minutes, and a slow router alone proves nothing: it answers when it likes.', [
        { expr: 'network_health_hop_latency_seconds{SEL}' + located, legend: hop },
        { expr: 'network_health_latency_seconds{SEL}', legend: 'the internet' },
      ], 's') + p.nonNegative + p.steps,
      p.series('Loss by hop', 'The share of the probes of five minutes without an answer, and the loss to the targets that count. Many routers limit their answers: a router that loses more than one behind it proves nothing.', [
        {
          expr: 'clamp_min(1 - rate(network_health_hop_replies_total{SEL}[$__rate_interval]) / rate(network_health_hop_probes_total{SEL}[$__rate_interval]), 0)' + located,
          legend: hop,
        },
        { expr: 'network_health_loss_ratio{SEL}', legend: 'the internet' },
      ], 'percentunit') + p.nonNegative + { interval: '5m' },
      p.series('Router and internet', 'The pings to the router, and the latency to the internet.', [
        { expr: 'network_health_target_latency_seconds{SEL,target="gateway"}', legend: 'router' },
        { expr: 'network_health_latency_seconds{SEL}', legend: 'internet' },
      ], 's') + p.nonNegative,
      p.series('Device throughput', "A line that is full delays and loses packets: whether this host fills it. What the devices carry that the path has used.", [
        { expr: 'rate(network_health_device_receive_bytes_total{SEL}[$__rate_interval]) * 8', legend: 'received, {{device}}' },
        { expr: 'rate(network_health_device_transmit_bytes_total{SEL}[$__rate_interval]) * 8', legend: 'sent, {{device}}' },
      ], 'bps') + p.nonNegative,
      p.table('Routers on the way', 6, 'With their last address. Absent in a container, and where hops are not probed.', [
        { expr: 'network_health_hop_info{SEL}' },
      ], [
        { id: 'organize', options: {
          excludeByName: { Time: true, __name__: true, Value: true, job: true },
          indexByName: { instance: 0, hop: 1, location: 2, address: 3, family: 4 },
          renameByName: {},
        } },
        { id: 'sortBy', options: { sort: [{ field: 'hop', desc: false }] } },
      ]),
    ], repeat='instance'),
    p.row('How long: $instance', [
      p.bargauge('Time with a fault by place', 12, 8, 'In the time range. Faults of several kinds at a place count each.', [
        { expr: 'sum by (location) (increase(network_health_fault_seconds_total{SEL}[$__range]))', legend: '{{location}}' },
      ], 's') + p.thresholds([[null, 'green'], [1, 'orange'], [300, 'red']]),
      p.bargauge('Time with a fault by kind', 12, 8, 'In the time range, at all places, unknown ones included.', [
        { expr: 'sum by (kind) (increase(network_health_fault_seconds_total{SEL}[$__range]))', legend: '{{kind}}' },
      ], 's') + p.thresholds([[null, 'green'], [1, 'orange'], [300, 'red']]),
      p.bars('Seconds with a fault by place', 'A bar after a gap in the other panels is a fault between two scrapes.', [
        { expr: 'sum by (location) (%s)' % p.counted('network_health_fault_seconds_total{SEL}'), legend: '{{location}}' },
      ], 's'),
      p.bars('Seconds offline by cause', 'The outages, whatever their place.', [
        { expr: p.counted('network_health_offline_seconds_total{SEL}'), legend: '{{cause}}' },
      ], 's'),
    ], repeat='instance'),
  ],
  annotations=[
    p.annotation('Outages', 'red', 'network_health_last_outage_start_timestamp_seconds{SEL} * 1000 * on (job, instance) group_left (cause) network_health_last_outage_info{SEL}', 'Outage: {{cause}}'),
  ],
  links=[p.link('These hosts in detail', p.detail), p.link('All hosts', p.all)],
)
