// Of one host: outages.
local p = import 'panels.libsonnet';

local cause = ' * on (job, instance) group_left (cause, location) network_health_last_outage_info{SEL}';

[
  p.row('Outages: $instance', [
    p.stat('Uptime in the time range', 6, 'Includes outages between two scrapes. Only the time that the exporter has observed counts.', [
      { expr: '1 - sum without (cause) (increase(network_health_offline_seconds_total{SEL}[$__range])) / increase(network_health_monitored_seconds_total{SEL}[$__range])' },
    ], 'percentunit') + p.defaults({ decimals: 3 }) + p.thresholds([[null, 'red'], [0.99, 'yellow'], [0.999, 'green']]),
    p.stat('Outages in the time range', 6, 'Includes outages between two scrapes.', [
      { expr: 'sum without (cause) (increase(network_health_outages_total{SEL}[$__range]))' },
    ], 'short') + p.defaults({ decimals: 0 }) + p.thresholds([[null, 'green'], [0.5, 'orange']]),
    p.stat('Last outage', 12, 'Its duration, and the time since its end. Empty before the first outage, and while one lasts.', [
      {
        expr: '(network_health_last_outage_end_timestamp_seconds{SEL} - network_health_last_outage_start_timestamp_seconds{SEL})' + cause,
        legend: 'duration ({{cause}})',
      },
      { expr: 'time() - network_health_last_outage_end_timestamp_seconds{SEL}', legend: 'since its end' },
    ], 's') + p.defaults({ decimals: 0 }) + p.options({ textMode: 'value_and_name' }),
    p.table('List of outages', 8, 'Each outage that was the last one at some scrape: an outage that was followed by another one before the next scrape, or in a time range of more than six days before the next of 10,000 steps, is only in the bars below. The length of an ongoing outage increases.', [
      { expr: 'network_health_last_outage_start_timestamp_seconds{SEL} * 1000' + cause },
      { expr: '((network_health_last_outage_end_timestamp_seconds{SEL} or network_health_last_outage_start_timestamp_seconds{SEL} * 0 + time()) - network_health_last_outage_start_timestamp_seconds{SEL})' + cause },
    ], [
      { id: 'merge', options: {} },
      { id: 'groupBy', options: { fields: {
        instance: { operation: 'groupby', aggregations: [] },
        cause: { operation: 'groupby', aggregations: [] },
        // One that was located while it lasted.
        location: { operation: 'aggregate', aggregations: ['lastNotNull'] },
        'Value #A': { operation: 'groupby', aggregations: [] },
        'Value #B': { operation: 'aggregate', aggregations: ['max'] },
      } } },
      { id: 'organize', options: {
        excludeByName: {},
        indexByName: { 'Value #A': 0, instance: 1, cause: 2, 'location (lastNotNull)': 3, 'Value #B (max)': 4 },
        renameByName: { 'Value #A': 'begin', 'location (lastNotNull)': 'place', 'Value #B (max)': 'length' },
      } },
      { id: 'sortBy', options: { sort: [{ field: 'begin', desc: true }] } },
    ]) + {
      // A history: all values of the time range, not the last one.
      targets: [t { instant: false, range: true } for t in super.targets],
      interval: '1m',
      // Prometheus answers at most 11,000 steps.
      maxDataPoints: 10000,
    } + p.field('begin', { unit: 'dateTimeAsLocal' }) + p.field('length', { unit: 's' }),
    p.bargauge('Time offline by cause', 12, 8, 'In the time range, outages between two scrapes included.', [
      { expr: 'increase(network_health_offline_seconds_total{SEL}[$__range])', legend: '{{cause}}' },
    ], 's') + p.thresholds([[null, 'green'], [1, 'orange'], [300, 'red']]),
    p.bargauge('Duration of outages', 12, 8, 'Outages that ended in the time range, by their duration in seconds: at most the number at the bar, and more than the number before.', [
      { expr: 'sum by (le) (increase(network_health_outage_duration_seconds_bucket{SEL}[$__range]))', legend: '{{le}}', format: 'heatmap' },
    ], 'short') + p.defaults({ decimals: 0 }),
    p.bars('Outages by cause', 'Counted once each, as they happen, also between two scrapes.', [
      { expr: p.counted('network_health_outages_total{SEL}'), legend: '{{cause}}' },
    ]),
    p.bars('Seconds offline by cause', 'A bar after a gap in the other panels is an outage between two scrapes.', [
      { expr: p.counted('network_health_offline_seconds_total{SEL}'), legend: '{{cause}}' },
    ], 's'),
  ], repeat='instance'),
]
