// Many hosts, the worst first.
local config = import '../config.libsonnet';
local p = import 'panels.libsonnet';
local states = import 'states.libsonnet';

// Without the exporters of containers that follow the one of their host, since they repeat its values.
local hosts(expr, range='') = '(%s) unless on (job, instance) %s' % [
  expr,
  local follower = 'network_health_monitor_backend_up{SEL,backend="host"}';
  if range == '' then follower else 'last_over_time(%s[%s])' % [follower, range],
];
// A container that ended has its uptime for 30 days. One sample an hour, since Prometheus limits the samples of a query.
local lately(expr) = hosts(expr, '30d:1h');
local best(metric) = 'max by (job, instance) (%s)' % hosts('network_health_speedtest_%s_bytes_per_second{SEL}' % metric);
// The median of the chosen hosts, which each of them is compared with.
local compared(metric) = '%(best)s / on () group_left () quantile(0.5, %(best)s)' % { best: best(metric) };
local byPlace = 'sum by (location) (max by (job, instance, location) (%s))' % hosts('network_health_fault{SEL}');
local host = '/d/network-health?${datasource:queryparam}&var-job=${__data.fields.job}&var-instance=${__data.fields.instance}&${__url_time_range}';

// The columns of the table: name, expression, properties.
local columns = [
  ['online', hosts('network_health_online{SEL}'), { mappings: p.mapping(states.online), 'custom.cellOptions': { type: 'color-text' }, noValue: 'no data' }],
  ['internet', hosts(states.internet.expr), { mappings: p.mapping(states.internet.names), 'custom.cellOptions': { type: 'color-text' } }],
  ['place of the fault', hosts(states.place.expr), { mappings: p.mapping(states.place.names), 'custom.cellOptions': { type: 'color-text' } }],
  ['quality', hosts('network_health_quality_level{SEL}'), { mappings: p.mapping(states.quality), 'custom.cellOptions': { type: 'color-text' } }],
  ['uptime 30 d', lately('instance:network_health_uptime:ratio_increase30d{SEL}'), { unit: 'percentunit', decimals: 3 }],
  ['outages 30 d', lately('instance:network_health_outages:increase30d{SEL}'), { unit: 'short', decimals: 0 }],
  ['time since the last outage', 'time() - (%s)' % hosts('network_health_last_outage_end_timestamp_seconds{SEL}'), { unit: 's', decimals: 0 }],
  ['latency', hosts('network_health_latency_seconds{SEL}'), { unit: 's' }],
  ['loss', hosts('network_health_loss_ratio{SEL}'), { unit: 'percentunit' }],
  ['download', best('download') + ' * 8', { unit: 'bps' }],
  ['against others', compared('download'), { unit: 'percentunit', decimals: 0 }],
  ['upload', best('upload') + ' * 8', { unit: 'bps' }],
];
local ref(i) = 'ABCDEFGHIJKLM'[i];
// A series of one host without the labels that only some columns have.
local plain(expr) = 'max by (job, instance) (%s)' % expr;

local table = std.foldl(
  function(panel, column) panel + p.field(column[0], column[2]),
  columns,
  p.table('Hosts', 12, 'The worst uptime first, without containers that follow the exporter of their host. Of several faults the place of the one nearest to the host. A click on the instance opens its dashboard. The uptime and the outages of 30 days need the recording rules (network-health.recording.rules.yml), and count the time that the exporter has observed; a host without data keeps them for 30 days. The time since the last outage is empty while one lasts. Download and upload: the highest of the last good values of all servers and uplinks. Against others: the download in relation to the median of the chosen hosts.', [
    { expr: plain(column[1]) }
    for column in columns
  ], [
    { id: 'merge', options: {} },
    { id: 'organize', options: {
      excludeByName: { Time: true },
      indexByName: { instance: 0, job: 1 } + { ['Value #' + ref(i)]: i + 2 for i in std.range(0, std.length(columns) - 1) },
      renameByName: { ['Value #' + ref(i)]: columns[i][0] for i in std.range(0, std.length(columns) - 1) },
    } },
    { id: 'sortBy', options: { sort: [{ field: 'uptime 30 d', desc: false }] } },
  ])
) + p.field('instance', { links: [{ title: 'The dashboard of this host', url: host, targetBlank: false }] });

p.dashboard('network-health-fleet', 'Network health: all hosts', 'The networks of many hosts, from network-health-exporter: the worst first.', 'now-24h', [
  p.row('Now', [
    p.stat('Online', 6, 'Hosts that are connected, and whose internet is reachable where it is probed.', [{ expr: 'sum((%s) == bool 1)' % hosts('network_health_online{SEL}') }], 'short')
    + p.thresholds([[null, 'green']]),
    p.stat('Offline', 6, 'Hosts that can be scraped, and are offline. An exporter without a verdict counts in neither panel.', [
      { expr: 'sum((%s) == bool 0)' % hosts('network_health_online{SEL}') },
    ], 'short') + p.thresholds([[null, 'green'], [1, 'red']]),
    p.stat('Absent', 6, 'Hosts with data in the last day and none now: the exporter is not running, or the line is down. A container that followed the exporter of its host and has ended is not counted.', [
      // By instance, not by series: an upgrade begins a new series.
      { expr: 'count(%s) - (count(%s) or vector(0))' % [
        plain(hosts('count_over_time(network_health_exporter_build_info{SEL}[%s])' % config.absentWindow, config.absentWindow)),
        plain(hosts('network_health_exporter_build_info{SEL}')),
      ] },
    ], 'short') + p.thresholds([[null, 'green'], [1, 'orange']]),
    p.stat('On an expensive path', 6, 'Hosts whose traffic costs money now. A host whose cost is unknown, as in a container, is not counted.', [{ expr: 'sum(%s)' % hosts('network_health_expensive{SEL}') }], 'short')
    + p.thresholds([[null, 'green'], [1, 'orange']]),
    p.bargauge('Hosts by place of a fault', 24, 8, 'How many hosts have a fault at a place now, without containers that follow the exporter of their host; one with faults at several places counts at each. Unknown: the evidence does not decide where.', [
      { expr: byPlace, legend: '{{location}}' },
    ], 'short') + p.defaults({ decimals: 0 }) + p.thresholds([[null, 'green'], [1, 'red']]),
    table,
  ]),
  p.row('History', [
    p.timeline('Online', 24, 10, 'Times without a scrape are empty.', [
      { expr: hosts('network_health_online{SEL}'), legend: '{{instance}}' },
    ]) + p.states(states.online),
    p.series('Hosts by place of a fault, over time', 'A provider with a fault has it for several hosts at once.', [
      { expr: byPlace, legend: '{{location}}' },
    ], 'short') + p.nonNegative + p.steps,
    p.bars('Outages', 'Counted once each, as they happen, also between two scrapes.', [
      { expr: hosts('sum without (cause) (%s)' % p.counted('network_health_outages_total{SEL}')), legend: '{{instance}}' },
    ]),
    p.bargauge('Lowest uptime of 30 days', 12, 8, 'The ten lowest. Needs the recording rules (network-health.recording.rules.yml).', [
      { expr: 'bottomk(10, %s)' % lately('instance:network_health_uptime:ratio_increase30d{SEL}'), legend: '{{instance}}' },
    ], 'percentunit') + p.defaults({ max: 1, decimals: 3 }) + p.thresholds([[null, 'red'], [0.99, 'yellow'], [0.999, 'green']]),
    p.series('Latency', 'The ten highest. The median of the last five minutes.', [
      { expr: 'topk(10, %s)' % hosts('network_health_latency_seconds{SEL}'), legend: '{{instance}}' },
    ], 's') + p.nonNegative,
    p.series('Loss', 'The ten highest. Of the last 100 packets to each target that counts.', [
      { expr: 'topk(10, %s)' % hosts('network_health_loss_ratio{SEL}'), legend: '{{instance}}' },
    ], 'percentunit') + p.nonNegative,
    p.series('Download', 'The highest of the last good values of all servers and uplinks of each host.', [
      { expr: best('download') + ' * 8', legend: '{{instance}}' },
    ], 'bps') + p.nonNegative + p.steps,
    p.series('Download against others', 'In relation to the median of the chosen hosts.', [
      { expr: compared('download'), legend: '{{instance}}' },
    ], 'percentunit') + p.nonNegative + p.steps,
  ]),
], links=[p.link('The chosen hosts in detail', p.detail), p.link('Where they are broken', p.why)])
