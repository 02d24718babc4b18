// Helper alerts for Alertmanager's `inhibit_rules` (alerts/inhibit.example.yml): they keep other alerts of their site quiet, and are
// sent to no one. `site` is a label of the scrape configuration; without it all exporters are one site.
local config = import 'config.libsonnet';

local summary(state) = '{{ with $labels.site }}The site {{ . }}{{ else }}The network{{ end }} is ' + state;

[
  {
    comment: |||
      Every exporter of the site that can be scraped is offline. It has no `for`, so that it fires before alerts about hosts behind
      the line do, and it is kept until their probes have succeeded again, and through failed scrapes. A login page counts, too.
    |||,
    alert: 'NetworkHealthSiteOffline',
    expr: 'max by (site) (network_health_online) == 0',
    keep_firing_for: config.siteHeld,
    severity: 'none',
    summary: summary('offline'),
    description: 'Alertmanager sends no alerts about what is behind this line.',
  },
  {
    comment: |||
      No exporter of the site has sent a sample for two minutes: seen from this Prometheus, its line is down. The value is the number
      of exporters. An exporter alone that has stopped looks the same. It ends as NetworkHealthAbsent does, a day after the last sample.
    |||,
    alert: 'NetworkHealthSiteAbsent',
    expr: |||
      count by (site) (last_over_time(network_health_monitored_seconds_total[%(absentWindow)s]))
        unless on (site) count by (site) (last_over_time(network_health_monitored_seconds_total[%(siteAbsent)s]))
    ||| % config,
    keep_firing_for: config.siteHeld,
    severity: 'none',
    summary: summary('absent'),
    description: 'Alertmanager sends no alerts about what is behind this line. NetworkHealthAbsent names the exporters.',
  },
]
