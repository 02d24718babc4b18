// The files of rules as text, with the comments: `jsonnet -S -m FOLDER rules.jsonnet`. The order of an object's fields is lost in
// Jsonnet, and is given here.
local mixin = import 'mixin.libsonnet';

local indented(text, by) = std.join('\n', [
  if line == '' then '' else by + line
  for line in std.split(std.stripChars(text, '\n'), '\n')
]);
local scalar(text) = if std.length(std.findSubstr('\n', text)) == 0 then ' ' + text else ' |\n' + indented(text, '          ');
local comment(text) = if text == '' then '' else indented(std.strReplace(indented(text, '# '), '\n\n', '\n'), '      ') + '\n';
local optional(rule, field) = if field in rule then '        %s: %s\n' % [field, rule[field]] else '';

local rendered(rule) =
  comment(rule.comment)
  + (if 'alert' in rule then '      - alert: ' + rule.alert else '      - record: ' + rule.record) + '\n'
  + '        expr:' + scalar(rule.expr) + '\n'
  + optional(rule, 'for')
  + optional(rule, 'keep_firing_for')
  + if 'alert' in rule then
    '        labels: { severity: %s }\n        annotations:\n' % rule.labels.severity
    + std.join('', [
      '          %s: %s\n' % [name, std.escapeStringJson(rule.annotations[name])]
      for name in ['summary', 'description', 'runbook_url']
    ]) else '';

local group(group) =
  '  - name: %s\n' % group.name
  + (if 'interval' in group then '    interval: %s\n' % group.interval else '')
  + '    rules:\n'
  + std.join('\n', [rendered(rule) for rule in group.rules]);

local written = |||
  # Written by `scripts/mixin` from grafana/mixin, which has the thresholds in config.libsonnet. Do not edit.
  #
|||;

{
  'network-health.rules.yml': written + |||
    # Alerts on network-health-exporter. Prometheus: `rule_files: [network-health.rules.yml]`; keep_firing_for needs 2.42 or later.
    #
    # An exporter behind the monitored line cannot be scraped during an outage of this line: NetworkHealthAbsent reports the missing
    # scrapes, and NetworkHealthWasOffline reports the outage itself after the line is restored.
    groups:
  ||| + std.join('\n', [group(g) for g in mixin.prometheusAlerts.groups]),
  'network-health.recording.rules.yml': written + |||
    # What the dashboard of many hosts reads.
    groups:
  ||| + std.join('\n', [group(g) for g in mixin.prometheusRules.groups]),
}
