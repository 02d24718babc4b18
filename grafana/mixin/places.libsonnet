// The places of `network_health_fault`, the nearest to the host first, and whom to call: the words of docs/where.md, which a test compares.
local config = import 'config.libsonnet';
local query = import 'query.libsonnet';

local calls = [
  ['host', 'you: this computer'],
  ['link', 'you: the cable or Wi-Fi of this computer'],
  ['router', 'you; at work, your IT'],
  ['access', 'check modem and cables, then call the provider'],
  ['provider', 'the provider'],
  ['internet', 'wait, and inform the provider'],
  ['vpn', 'the operator of the VPN'],
  ['destination', 'the operator of that service'],
  ['dns', 'the operator of the name server'],
  ['policy', 'sign in, or call the operator of this network'],
  ['unknown', 'nobody yet'],
];

// In a template in which `.` is a place.
local said(lead) = ' %s: {{ . }}. Whom to call: %s{{ end }}.' % [lead, std.join('{{ else ', [
  '%sif eq . "%s" }}%s' % [if i == 0 then '{{ ' else '', calls[i][0], calls[i][1]]
  for i in std.range(0, std.length(calls) - 1)
])];

{
  names: [call[0] for call in calls],

  // For the text of an alert: the places of the faults of a kind now, and what to say where there is none.
  now(kind, otherwise=' The place of the fault is not known.')::
    '{{ with %s }}{{ range . }}{{ with .Labels.location }}%s{{ end }}{{ end }}%s{{ end }}' % [
      // A target alone is no place of an outage of the host.
      query('last_over_time(network_health_fault{}[%s]) == 1' % config.held, matchers=['kind="%s"' % kind] + (
        if kind == 'outage' then ['location!="destination"'] else []
      )),
      said('Place of the fault'),
      if otherwise == '' then '' else '{{ else }}' + otherwise,
    ],

  // The same of a value.
  at(value, lead='Place of the fault'):: '{{ with %s }}%s{{ end }}' % [value, said(lead)],

  // The place of the last outage, as it was found while it lasted.
  last(lead):: '{{ with %s }}%s{{ end }}' % [
    query('network_health_last_outage_info{}'),
    self.at('. | first | label "location"', lead),
  ],
}
