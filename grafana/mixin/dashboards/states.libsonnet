// The states of `/metrics` as numbers, and their names and colors.
local places = (import '../places.libsonnet').names;

local numbered(metric, label, states) = 'sum without (%s) (%s)' % [label, std.join(' or ', [
  (if i == 0 then '' else '%d * ' % (i + 1)) + '%s{SEL,%s="%s"}' % [metric, label, states[i]]
  for i in std.range(0, std.length(states) - 1)
])];

{
  internet: {
    expr: numbered('network_health_internet_state', 'state', [
      'online', 'degraded', 'captive_portal', 'dns_broken', 'no_internet', 'no_path', 'unknown', 'tls_untrusted',
    ]),
    names: [
      [0, 'none', 'text'], [1, 'online', 'green'], [2, 'degraded', 'yellow'], [3, 'captive portal', 'purple'],
      [4, 'DNS broken', 'orange'], [5, 'no internet', 'red'], [6, 'no path', 'dark-red'], [7, 'unknown', 'text'],
      [8, 'TLS not trusted', 'yellow'],
    ],
  },
  path: {
    expr: numbered('network_health_path_status', 'status', ['connected', 'requires_connection', 'disconnected', 'unsatisfied']),
    names: [[1, 'connected', 'green'], [2, 'requires connection', 'yellow'], [3, 'disconnected', 'red'], [4, 'unsatisfied', 'red']],
  },
  interface: {
    expr: numbered('network_health_interface_type', 'interface_type', ['wifi', 'cellular', 'ethernet', 'other', 'unknown']),
    names: [
      [0, 'none', 'dark-red'], [1, 'wifi', 'blue'], [2, 'cellular', 'orange'], [3, 'ethernet', 'green'], [4, 'other', 'purple'],
      [5, 'unknown', 'text'],
    ],
  },
  // The place of the fault that is nearest to the host.
  place: {
    expr: 'max by (job, instance) (%s)' % std.join(' or ', [
      '%d * network_health_fault{SEL,location="%s"}' % [std.length(places) - i, places[i]]
      for i in std.range(0, std.length(places) - 1)
    ]),
    names: [[0, 'no fault', 'green']] + [
      [std.length(places) - i, places[i], if places[i] == 'unknown' then 'text' else 'red']
      for i in std.range(0, std.length(places) - 1)
    ],
  },
  fault: [[0, 'no', 'transparent'], [1, 'fault', 'red']],
  online: [[0, 'offline', 'red'], [1, 'online', 'green']],
  quality: [
    [0, 'offline', 'red'], [1, 'poor', 'orange'], [2, 'moderate', 'yellow'], [3, 'good', 'green'], [4, 'excellent', 'dark-green'],
  ],
  basis: [[0, 'estimated', 'text'], [1, 'measured', 'text']],
  warning: [[0, 'no', 'green'], [1, 'yes', 'orange']],
  answers: [[0, 'does not answer', 'red'], [1, 'answers', 'green']],
  used: [[0, 'not in use', 'text'], [1, 'in use', 'green']],
  untested: [[0, 'not tested', 'orange']],
  up: [[0, 'down', 'red'], [1, 'up', 'green']],
  satisfied: [[0, 'no', 'red'], [1, 'yes', 'green']],
}
