// What would be too much to compute in a dashboard of many hosts. A subquery has a sample each five minutes: over 30 days a range of
// raw samples of 40 hosts would exceed Prometheus' limit for one query (50 million samples).
local uptime(range) = |||
  1 - sum without (cause) (increase(network_health_offline_seconds_total[%(range)s]))
    / increase(network_health_monitored_seconds_total[%(range)s])
||| % { range: range };

local median(direction) =
  'label_replace(quantile_over_time(0.5, network_health_speedtest_%s_bytes_per_second[30d:5m]), "direction", "%s", "", "")'
  % [direction, direction];

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
  {
    comment: |||
      The usual speed of a line, by server: the median over the time, where at least five tests were seen.
    |||,
    record: 'instance:network_health_speedtest_bytes_per_second:median30d',
    expr: |||
      (
          %s
        or
          %s
      )
        and on (job, instance, server, uplink)
          changes(network_health_speedtest_last_success_timestamp_seconds[30d:5m]) >= 4
    ||| % [median('download'), median('upload')],
  },
]
