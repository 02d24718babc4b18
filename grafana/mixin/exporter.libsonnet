// Alerts about the exporter itself.
local config = import 'config.libsonnet';

[
  {
    comment: |||
      The exporter runs with the configuration before. Its log names the line and the key.
    |||,
    alert: 'NetworkHealthConfigReloadFailed',
    expr: 'last_over_time(network_health_exporter_config_last_reload_successful[%(held)s]) == 0' % config,
    'for': '5m',
    severity: 'warning',
    summary: '{{ $labels.instance }} has not accepted its configuration',
    description: 'It runs with the last good one. Its log names the error; `--config.check` shows it, too.',
  },
  {
    comment: |||
      A source of facts cannot be read: changes of the network arrive late or not at all. Many hosts have no NetworkManager, whose
      series is then always 0: it counts only where it was up in the last day.
    |||,
    alert: 'NetworkHealthMonitorDown',
    expr: |||
      last_over_time(network_health_monitor_backend_up{backend!="networkmanager"}[%(held)s]) == 0
        or
          last_over_time(network_health_monitor_backend_up{backend="networkmanager"}[%(held)s]) == 0
            and max_over_time(network_health_monitor_backend_up{backend="networkmanager"}[%(backendWindow)s]) == 1
    ||| % config,
    'for': '5m',
    keep_firing_for: '5m',
    severity: 'warning',
    summary: '{{ $labels.instance }} cannot read {{ $labels.backend }}',
    description: 'Facts from this source are missing, such as the cost of the path. The log of the exporter has the error.',
  },
  {
    comment: |||
      Requests wait during an outage as intended: the alert is about those that are not delivered while the internet is reachable.
      They also wait for their `requirement` as intended, and are not tried until then. One that cannot be delivered is tried at
      least every five minutes, unless its server asks for more with `Retry-After`. The quarter of an hour allows for the delivery
      after a long outage. The age is absent while none waits, and during a restart.
    |||,
    alert: 'NetworkHealthQueueStuck',
    expr: |||
      last_over_time(network_health_queue_oldest_request_age_seconds[%(held)s]) > %(queueAgeSeconds)d
        and on (job, instance) %(online)s
        and on (job, instance) increase(network_health_queue_retries_total[%(queueRetryWindow)s]) > 0
        unless on (job, instance) last_over_time(network_health_queue_pending_requests[%(held)s]) == 0
    ||| % config,
    'for': '15m',
    severity: 'warning',
    summary: 'A request of {{ $labels.instance }} is not delivered',
    description: 'The oldest one has waited for {{ $value | humanizeDuration }}, and the internet is reachable. `network-health-exporter requests list` shows it with its last error; where the list is empty, a webhook waits, and the log has the reason.',
  },
]
