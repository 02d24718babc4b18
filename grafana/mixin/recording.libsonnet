// What would be too much to compute in a dashboard of many hosts. A subquery has a sample each five minutes: over 30 days a range of
// raw samples of 40 hosts would exceed Prometheus' limit for one query (50 million samples).
local uptime(range) = |||
  1 - sum without (cause) (increase(network_health_offline_seconds_total[%(range)s]))
    / increase(network_health_monitored_seconds_total[%(range)s])
||| % { range: range };

[
  {
    comment: |||
      The share of the monitored time that was online, outages between two scrapes included.
    |||,
    record: 'instance:network_health_uptime:ratio_increase1d',
    expr: uptime('1d:5m'),
  },
  { record: 'instance:network_health_uptime:ratio_increase30d', expr: uptime('30d:5m') },
  {
    record: 'instance:network_health_outages:increase30d',
    expr: 'sum without (cause) (increase(network_health_outages_total[30d:5m]))',
  },
]
