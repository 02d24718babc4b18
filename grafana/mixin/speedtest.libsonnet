// Alerts about speed tests.
local config = import 'config.libsonnet';
local places = import 'places.libsonnet';
local query = import 'query.libsonnet';

[
  {
    comment: |||
      The last good values are kept permanently: this alert reports that they are stale. With several servers one is
      sufficient, since by default (`strategy: first_working`) the later ones are tested only when the earlier ones fail. Where
      the last week has no value, the monitored time replaces the age. A server that was renamed or replaced by a reload
      has no series any more: its last success still counts, so that the age continues until the new one has been tested. It does
      not fire while offline, nor while the path is expensive or constrained and tests are skipped for this reason: a skip has no
      effect after the path has changed. The week includes the longest gap of most schedules. Without a server there is no
      `stale_after`, and no alert. The hour allows for the test that follows a start or a reconnection.
    |||,
    alert: 'NetworkHealthSpeedtestStale',
    expr: |||
      (
          time() - max without (server, uplink) (last_over_time(network_health_speedtest_last_success_timestamp_seconds[%(speedtestWindow)s]))
        or
          last_over_time(network_health_monitored_seconds_total[%(held)s])
      ) > last_over_time(network_health_speedtest_stale_after_seconds[%(held)s])
        and on (job, instance) %(online)s
        unless on (job, instance) (
          sum without (reason) (increase(network_health_speedtest_skipped_total{reason=~"expensive|constrained"}[%(speedtestWindow)s])) > 0
            and on (job, instance) (
              last_over_time(network_health_expensive[%(held)s]) == 1 or last_over_time(network_health_constrained[%(held)s]) == 1
            )
        )
    ||| % config,
    'for': '1h',
    severity: 'warning',
    summary: '{{ $labels.instance }} has no fresh speed test',
    description: 'No test has succeeded for {{ $value | humanizeDuration }}. Check the failed and skipped tests.',
  },
  {
    comment: |||
      The last test failed, and more tests failed than one round over all servers has: at least two rounds. A skipped test is
      not a failed one, and a cancelled one has no result.
    |||,
    alert: 'NetworkHealthSpeedtestFailing',
    expr: |||
      sum without (reason) (increase(network_health_speedtest_failures_total{reason!="cancelled"}[%(failingWindow)s]))
        > 1.5 * count without (server, protocol, host, congestion_control) (last_over_time(network_health_speedtest_server_info[%(held)s]))
        and on (job, instance)
          max without (server, uplink) (last_over_time(network_health_speedtest_last_run_timestamp_seconds[%(held)s]))
            > (
              max without (server, uplink) (last_over_time(network_health_speedtest_last_success_timestamp_seconds[%(held)s]))
                or 0 * max without (server, uplink) (last_over_time(network_health_speedtest_last_run_timestamp_seconds[%(held)s]))
            )
        and on (job, instance) %(online)s
    ||| % config,
    'for': '15m',
    severity: 'warning',
    summary: 'The speed tests of {{ $labels.instance }} fail',
    description: '{{ printf "%%.0f" $value }} tests have failed in %(failingWindow)s, and the last one did. The dashboard shows the reasons.' % config,
  },
  {
    comment: |||
      The requirement is set in config.libsonnet; its limit is a metric. The alert is about speed: it fires only while online, only
      with a measured speed below the limit, and not if something other than the line limited this measurement: the processor, the
      server, the limit of its data, or other traffic. A slow cable or port (`link_speed`) counts as the line. Of several servers those
      with a fresh test over this uplink count (that of the path's device, in a tunnel of the one below it). A value is kept until the
      next test: to require two bad ones, set `for` above the longest gap of the schedule. The usual speed is recorded by
      network-health.recording.rules.yml; without it, it is left out. Two series with the same labels are an error of the whole rule.
      Therefore `max` joins two tunnels over one device, of which one has just replaced the other, and the values of two pods of one
      instance.
    |||,
    alert: 'NetworkHealthSpeedBelowRequirement',
    expr: |||
      8 * (
          label_replace(last_over_time(network_health_speedtest_download_bytes_per_second[%(held)s]), "direction", "download", "", "")
        or
          label_replace(last_over_time(network_health_speedtest_upload_bytes_per_second[%(held)s]), "direction", "upload", "", "")
      )
        < on (job, instance, direction) group_left (requirement)
          8 * max by (job, instance, direction, requirement) (
            last_over_time(network_health_requirement_min_bytes_per_second{requirement="%(requirement)s"}[%(held)s])
          )
        and on (job, instance, requirement) last_over_time(network_health_requirement_satisfied[%(held)s]) == 0
        and on (job, instance) %(online)s
        and on (job, instance) last_over_time(network_health_quality_measured[%(held)s]) == 1
        and on (job, instance, uplink) (
          label_replace(last_over_time(network_health_interface_info[%(held)s]), "uplink", "$1", "device", "(.+)")
            or label_replace(last_over_time(network_health_interface_info{underlay!=""}[%(held)s]), "uplink", "$1", "underlay", "(.+)")
            or last_over_time(network_health_uplink_info[%(held)s]) and on (job, instance, device) (
              last_over_time(network_health_interface_info[%(held)s])
                or label_replace(
                  max by (job, instance, underlay) (last_over_time(network_health_interface_info{underlay!=""}[%(held)s])),
                  "device", "$1", "underlay", "(.+)"
                )
            )
        )
        and on (job, instance, server, uplink)
          time() - last_over_time(network_health_speedtest_last_success_timestamp_seconds[%(held)s])
            < on (job, instance) group_left ()
              max by (job, instance) (last_over_time(network_health_speedtest_stale_after_seconds[%(held)s]))
        and on (job, instance, server, uplink, direction)
          max without (reason) (last_over_time(network_health_speedtest_limited{reason=~"cpu|server|data_cap|cross_traffic"}[%(held)s])) == 0
        %(notAdopted)s
    ||| % config,
    'for': '1h',
    severity: 'warning',
    summary: '{{ $labels.instance }} is too slow for {{ $labels.requirement }}',
    description: '{{ $value | humanize }}bit/s {{ $labels.direction }} measured'
                 + '{{ with %s }}, {{ . | first | value | humanize }}bit/s needed{{ end }}'
                   % query('8 * network_health_requirement_min_bytes_per_second{}', ['job', 'instance', 'requirement', 'direction'])
                 + '{{ with %s }}, {{ . | first | value | humanize }}bit/s usual{{ end }}.'
                   % query(
                     '8 * last_over_time(instance:network_health_speedtest_bytes_per_second:median30d{}[%(recordedHeld)s])' % config,
                     ['job', 'instance', 'server', 'uplink', 'direction'],
                   )
                 + places.now('throughput', otherwise=''),
  },
  {
    comment: |||
      Only shortfalls count that a second test has confirmed, and that neither this host, its cable or port nor other traffic explains.
      It ends when the last speeds reach the plan's normal speed again, and when a reload removes the plan: the counter is absent then.
    |||,
    alert: 'NetworkHealthBelowPlan',
    expr: |||
      increase(network_health_speedtest_confirmations_total{result="confirmed"}[%(belowPlanWindow)s]) >= %(belowPlanShortfalls)g
        and on (job, instance) last_over_time(network_health_speedtest_confirmations_total[%(held)s])
        unless on (job, instance) min by (job, instance) (last_over_time(network_health_speedtest_plan_ratio[%(held)s])) >= 1
    ||| % config,
    'for': '0m',
    severity: 'warning',
    summary: '{{ $labels.instance }} is slower than its plan',
    description: 'Shortfalls confirmed by a second test in the last %(belowPlanWindow)s: {{ $value | printf "%%.0f" }}.' % config
                 + '{{ with %s }}{{ range . }} The last {{ .Labels.direction }} by {{ .Labels.server }} reached {{ .Value | humanizePercentage }} of the normal speed.{{ end }}{{ end }}'
                   % query('sort(network_health_speedtest_plan_ratio{})', ['job', 'instance'])
                 + places.now('throughput'),
  },
  {
    comment: |||
      Of the month: without bytes no test runs until the next one. In the last days of a month a small rest is as planned.
    |||,
    alert: 'NetworkHealthDataBudgetLow',
    expr: |||
      last_over_time(network_health_speedtest_budget_remaining_bytes{period="month"}[%(held)s])
        / last_over_time(network_health_speedtest_budget_bytes{period="month"}[%(held)s]) < %(budgetRatio)g
        and on () days_in_month() - day_of_month() > %(budgetDays)d
    ||| % config,
    'for': '15m',
    severity: 'info',
    summary: '{{ $labels.instance }} has used most of the data for speed tests',
    description: '{{ $value | humanizePercentage }} of this month are left. Without data no test runs until the next month.',
  },
]
