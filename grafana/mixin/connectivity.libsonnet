// Alerts about the path, the internet and outages.
local config = import 'config.libsonnet';
local places = import 'places.libsonnet';
local query = import 'query.libsonnet';

[
  {
    comment: |||
      For an exporter that can be scraped in an outage. `online` is already confirmed: single failures do not change it. Two
      minutes allow a line to reconnect. A failed scrape ends a series at once, which would reset `for`: therefore the last
      value of five minutes counts. A login page has an alert of its own. A container that follows the exporter of its host repeats
      what that one says about the internet, and is left out while its own path is connected: without one it is offline alone.
    |||,
    alert: 'NetworkHealthOffline',
    expr: |||
      last_over_time(network_health_online[%(held)s]) == 0
        unless on (job, instance) last_over_time(network_health_internet_state{state="captive_portal"}[%(held)s]) == 1
        unless on (job, instance) (
          last_over_time(network_health_monitor_backend_up{backend="host"}[%(held)s])
            and on (job, instance) last_over_time(network_health_connected[%(held)s]) == 1
        )
    ||| % config,
    'for': config.offlineFor,
    keep_firing_for: '5m',
    severity: 'critical',
    summary: '{{ $labels.instance }} is offline',
    description: "There is no usable path, or the internet is not reachable over it. The dashboard's timeline shows which." + places.now('outage'),
  },
  {
    comment: |||
      Each outage of more than two minutes, or several that add up to more in an hour, for a quarter of an hour after the end. It
      is independent of the other alerts: with Prometheus behind the dead line, they could not be delivered. The times of the last
      outage need no scrape before the outage or during it, and survive a restart with `--storage.path`. A short outage replaces
      them: the counters include the longer one, or many short ones, if there is a sample from before in the last hour. The value
      is the larger of the two sums. It has no label of the cause, and holds through a further outage of up to five minutes:
      repeated outages are one alert, whose text counts them. Only an outage that has ended is in the count of the histogram.
      The outages of a container that follows the exporter of its host are those of its host: it is left out, with short ones of its
      own.
    |||,
    alert: 'NetworkHealthWasOffline',
    expr: |||
      (
          sum without (cause) (increase(network_health_offline_seconds_total[%(wasOfflineWindow)s]))
            > (network_health_last_outage_end_timestamp_seconds - network_health_last_outage_start_timestamp_seconds)
        or
          (network_health_last_outage_end_timestamp_seconds - network_health_last_outage_start_timestamp_seconds)
      ) > %(wasOfflineSeconds)d
        and on (job, instance) time() - network_health_last_outage_end_timestamp_seconds < %(wasOfflineShownSeconds)d
        %(notAdopted)s
    ||| % config,
    keep_firing_for: config.wasOfflineHeld,
    severity: 'info',
    summary: '{{ $labels.instance }} was offline '
             + '{{ with %s }}{{ . | first | value }} times, {{ $value | humanizeDuration }} in the last %s{{ else }}for {{ $value | humanizeDuration }}{{ end }}'
               % [
                 query('round(increase(network_health_outage_duration_seconds_count{}[%s])) > 1' % config.wasOfflineWindow),
                 config.wasOfflineWindow,
               ],
    description: '{{ with %s }}The last outage took {{ . | first | value | humanizeDuration }}{{ end }}{{ with %s }}, because of {{ . | first | label "cause" }}{{ end }}.' % [
      query('network_health_last_outage_end_timestamp_seconds{} - network_health_last_outage_start_timestamp_seconds{}'),
      query('network_health_last_outage_info{}'),
    ] + places.last('Its place'),
  },
  {
    comment: |||
      Single outages of this kind are too short for NetworkHealthOffline. The counter includes outages between two scrapes.
    |||,
    alert: 'NetworkHealthFlapping',
    expr: |||
      sum without (cause) (increase(network_health_outages_total[%(flappingWindow)s])) >= %(flappingOutages)d
        %(notAdopted)s
    ||| % config,
    severity: 'warning',
    summary: 'The connection of {{ $labels.instance }} is lost repeatedly',
    description: '{{ printf "%%.0f" $value }} outages in %(flappingWindow)s. The dashboard shows their causes.' % config + places.last('Place of the last one'),
  },
  {
    comment: |||
      No data: the exporter or its host is not running, or the line between it and Prometheus is down. One day after the last
      sample the alert ends. It also fires for a target that was removed or renamed. A container that follows the exporter of its
      host ends with its application, as at each rollout, and is left out. Remove the rule where hosts are switched off.
    |||,
    alert: 'NetworkHealthAbsent',
    expr: |||
      last_over_time(network_health_monitored_seconds_total[%(absentWindow)s])
        unless on (job, instance) network_health_monitored_seconds_total
        unless on (job, instance) last_over_time(network_health_monitor_backend_up{backend="host"}[%(absentWindow)s])
    ||| % config,
    'for': config.absentFor,
    severity: 'warning',
    summary: '{{ $labels.instance }} is absent',
    description: 'Prometheus receives no data from this exporter.',
  },
  {
    comment: |||
      A user has to log in, and until then the host is offline. The exporter reports the state after two rounds of probes that
      detected the page, and after one on a new path or when the portal's API (RFC 8908) reports it. The series is absent with
      `internet: { enabled: false }`, so that the alert does not fire.
    |||,
    alert: 'NetworkHealthCaptivePortal',
    expr: |||
      last_over_time(network_health_internet_state{state="captive_portal"}[%(held)s]) == 1
        %(notAdopted)s
    ||| % config,
    'for': config.offlineFor,
    keep_firing_for: '5m',
    severity: 'warning',
    summary: '{{ $labels.instance }} is behind a login page',
    description: 'A captive portal answers in place of the internet: open any page over plain HTTP on this host and log in.',
  },
  {
    comment: |||
      HTTP passes, and the certificates of two operators are not trusted: the clock of the host, its CA certificates, or a proxy
      that inspects TLS. The host is online, unless its configuration has `internet.untrusted_tls: deny`; then the alert
      NetworkHealthOffline fires, too.
    |||,
    alert: 'NetworkHealthTlsUntrusted',
    expr: |||
      last_over_time(network_health_internet_state{state="tls_untrusted"}[%(held)s]) == 1
        %(notAdopted)s
    ||| % config,
    'for': '10m',
    keep_firing_for: '10m',
    severity: 'info',
    summary: '{{ $labels.instance }} does not trust the certificates of the internet',
    description: 'Check the clock of this host, its CA certificates, and any proxy that inspects TLS (internet.tls_config.ca_file).',
  },
  {
    comment: |||
      The path has a route for IPv6, and only IPv4 works: programs wait for IPv6 before they use IPv4. A family without a verdict
      (`unknown`), or without a router (`no_path`), is not broken.
    |||,
    alert: 'NetworkHealthIPv6Broken',
    expr: |||
      max without (state) (
        last_over_time(network_health_internet_family_state{family="ipv6",state=~"no_internet|dns_broken"}[%(held)s])
      ) == 1
        and on (job, instance) last_over_time(network_health_path_supports{capability="ipv6"}[%(held)s]) == 1
        and on (job, instance)
          max without (state) (
            last_over_time(network_health_internet_family_state{family="ipv4",state=~"online|degraded|tls_untrusted"}[%(held)s])
          ) == 1
    ||| % config,
    'for': '15m',
    keep_firing_for: '15m',
    severity: 'warning',
    summary: 'IPv6 of {{ $labels.instance }} does not reach the internet',
    description: 'IPv4 does. Check the IPv6 route, the prefix of the provider, and the name servers over IPv6.',
  },
  {
    comment: |||
      A router that has changed to its mobile uplink, or a laptop on a phone's hotspot. A quarter of an hour ignores a short
      failover. Where the flag or the configuration says that every path is expensive, none of them is a failover. A rule names
      single devices, so that its path can be one.
    |||,
    alert: 'NetworkHealthOnExpensivePath',
    expr: |||
      last_over_time(network_health_expensive[%(held)s]) == 1
        unless on (job, instance) last_over_time(network_health_expensive_source_info{source=~"flag|config"}[%(held)s])
        %(notAdopted)s
    ||| % config,
    'for': config.expensiveFor,
    severity: 'info',
    summary: '{{ $labels.instance }} is on an expensive path',
    description: 'Its traffic costs money. Check the uplink that should carry it.',
  },
  {
    comment: |||
      Not for the uplink in use, and not while the host is offline: NetworkHealthOffline has that. `for` allows a modem to register
      again. An uplink of which nothing is known has no series, and no alert.
    |||,
    alert: 'NetworkHealthStandbyDown',
    expr: |||
      last_over_time(network_health_uplink_online[%(held)s]) == 0
        and on (job, instance, uplink) last_over_time(network_health_uplink_active[%(held)s]) == 0
        and on (job, instance) %(online)s
        %(notAdopted)s
    ||| % config,
    'for': config.standbyDownFor,
    severity: 'warning',
    summary: 'The uplink {{ $labels.uplink }} of {{ $labels.instance }} does not work',
    description: 'It is not in use, and would not reach the internet if it were needed.',
  },
  {
    comment: |||
      The uplink that carried the path for most of the last day is not in use: a further next hop, or a tunnel over the same line, is
      no failover. It ends when the path is back, or once the other one has carried it for longer. One that is gone carried the path,
      too: where a reload renames the uplink in use, its time is that of the name before.
    |||,
    alert: 'NetworkHealthOnStandby',
    expr: |||
      last_over_time(network_health_uplink_active[%(held)s]) == 1
        and on (job, instance)
            max by (job, instance) (
              increase(network_health_uplink_active_seconds_total[%(onStandbyWindow)s])
                unless on (job, instance, uplink) last_over_time(network_health_uplink_active[%(held)s]) == 0
            )
          < max by (job, instance) (
              increase(network_health_uplink_active_seconds_total[%(onStandbyWindow)s])
                and on (job, instance, uplink) last_over_time(network_health_uplink_active[%(held)s]) == 0
            )
        %(notAdopted)s
    ||| % config,
    'for': config.onStandbyFor,
    severity: 'info',
    summary: '{{ $labels.instance }} uses its uplink {{ $labels.uplink }}',
    description: 'For most of the last %(onStandbyWindow)s another uplink was in use. Its own state is network_health_uplink_online.' % config,
  },
]
