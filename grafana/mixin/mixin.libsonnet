// As other mixins: `prometheusAlerts`, `prometheusRules`, `grafanaDashboards` and `_config`.
local config = import 'config.libsonnet';

local alerting(rules) = [
  {
    alert: rule.alert,
    expr: rule.expr,
    [if 'for' in rule then 'for']: rule['for'],
    [if 'keep_firing_for' in rule then 'keep_firing_for']: rule.keep_firing_for,
    labels: { severity: rule.severity },
    annotations: {
      summary: rule.summary,
      description: rule.description,
      runbook_url: '%s#%s' % [config.runbooks, std.asciiLower(rule.alert)],
    },
    comment:: if 'comment' in rule then rule.comment else '',
  }
  for rule in rules
];

{
  _config:: config,
  prometheusAlerts:: {
    groups: [
      {
        name: 'network-health',
        rules: alerting((import 'connectivity.libsonnet') + (import 'quality.libsonnet') + (import 'speedtest.libsonnet')
                        + (import 'exporter.libsonnet') + (import 'sites.libsonnet')),
      },
    ],
  },
  prometheusRules:: {
    groups: [
      {
        name: 'network-health-uptime',
        interval: '5m',
        rules: [
          { record: rule.record, expr: rule.expr, comment:: if 'comment' in rule then rule.comment else '' }
          for rule in import 'recording.libsonnet'
        ],
      },
    ],
  },
  grafanaDashboards:: {
    'network-health.json': import 'dashboards/host.libsonnet',
    'network-health-fleet.json': import 'dashboards/fleet.libsonnet',
    'network-health-why.json': import 'dashboards/why.libsonnet',
  },
}
