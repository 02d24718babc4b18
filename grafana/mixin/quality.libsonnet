// Alerts about loss, latency and targets.
local config = import 'config.libsonnet';
local places = import 'places.libsonnet';

[
  {
    comment: |||
      Of the last 100 packets to the targets that count; absent without such a target, and below 60 packets. An outage is
      NetworkHealthOffline.
    |||,
    alert: 'NetworkHealthHighLoss',
    expr: |||
      last_over_time(network_health_loss_ratio[%(held)s]) > %(lossRatio)g
        and on (job, instance) %(online)s
        %(notAdopted)s
    ||| % config,
    'for': config.lossFor,
    keep_firing_for: '15m',
    severity: 'warning',
    summary: '{{ $labels.instance }} loses packets',
    description: '{{ $value | humanizePercentage }} of the packets to the internet are lost.' + places.now('loss'),
  },
  {
    comment: |||
      The median of the last five minutes, so that single slow packets and a speed test have no effect.
    |||,
    alert: 'NetworkHealthHighLatency',
    expr: |||
      last_over_time(network_health_latency_seconds[%(held)s]) > %(latencySeconds)g
        and on (job, instance) %(online)s
        %(notAdopted)s
    ||| % config,
    'for': config.latencyFor,
    keep_firing_for: '15m',
    severity: 'warning',
    summary: 'The latency of {{ $labels.instance }} is high',
    description: 'The median round trip to the internet takes {{ $value | humanizeDuration }}.' + places.now('latency'),
  },
  {
    comment: |||
      A queue, or less speed than there should be, at a place that was measured. A fault without a place is left out, since there is
      no one to call: NetworkHealthHighLatency and NetworkHealthSpeedBelowRequirement report what is too slow wherever it is.
    |||,
    alert: 'NetworkHealthSlow',
    expr: |||
      last_over_time(network_health_fault{location!="unknown",kind=~"latency|throughput"}[%(held)s]) == 1
        and on (job, instance) %(online)s
        %(notAdopted)s
    ||| % config,
    'for': config.slowFor,
    keep_firing_for: '10m',
    severity: 'info',
    summary: '{{ $labels.instance }} is slow',
    description: '{{ if eq $labels.kind "latency" }}Packets wait{{ else }}The speed is lower than expected{{ end }}.' + places.at('$labels.location'),
  },
  {
    comment: |||
      What load adds to the latency, in the best of at least two speed tests of the last day, so that one bad test has no effect.
      The values of other uplinks stay in `/metrics`: only an uplink with two tests in this window counts, which the time of the last
      success tells. A success before the window, as of an uplink that is seldom used, does not count as one of them. Where two pods
      of one instance have a latency without load, the larger one counts: the smallest difference counts here, too.
    |||,
    alert: 'NetworkHealthBufferbloat',
    expr: |||
      min_over_time(network_health_speedtest_loaded_latency_seconds[%(bufferbloatHours)dh])
        - on (job, instance, server, uplink) group_left ()
          max by (job, instance, server, uplink) (last_over_time(network_health_speedtest_idle_latency_seconds[%(held)s]))
        > %(bufferbloatSeconds)g
        and on (job, instance, server, uplink)
          changes((
            network_health_speedtest_last_success_timestamp_seconds > time() - %(bufferbloatHours)d * 3600
          )[%(bufferbloatHours)dh:5m]) > 0
        %(notAdopted)s
    ||| % config,
    'for': '1h',
    keep_firing_for: '2h',
    severity: 'info',
    summary: 'The latency of {{ $labels.instance }} is high during a {{ $labels.direction }}',
    description: 'Load adds {{ $value | humanizeDuration }} (bufferbloat): calls and games suffer while others transfer data.',
  },
  {
    comment: |||
      A configured target that does not answer while the internet does. The target `gateway` is left out: many routers answer no
      probes, and NetworkHealthOffline reports an outage of the router. A target that is not probed on an expensive or
      constrained path keeps its last result. It does not fire once a probe was left out: in the next quarter of an hour, and as long as
      the path is what the probe was left out for, since the target's interval can be a day. A probe in the last quarter of an hour
      ends that: a reload has allowed the target, and the count of the probes that were left out stays for a day. A target whose
      interval is longer than `for`, as one that is slowed tenfold on an expensive path, is reported after one failed probe.
    |||,
    alert: 'NetworkHealthTargetDown',
    expr: |||
      last_over_time(network_health_target_up{target!="gateway"}[%(held)s]) == 0
        and on (job, instance) %(online)s
        and on (job, instance, target) sum without (reason) (increase(network_health_target_skipped_total[%(targetSkippedWindow)s])) == 0
        unless on (job, instance, target) (
          (
              increase(network_health_target_skipped_total{reason="expensive"}[%(targetPausedWindow)s]) > 0
                and on (job, instance) last_over_time(network_health_expensive[%(held)s]) == 1
            or
              increase(network_health_target_skipped_total{reason="constrained"}[%(targetPausedWindow)s]) > 0
                and on (job, instance) last_over_time(network_health_constrained[%(held)s]) == 1
          )
            and on (job, instance, target)
              time() - last_over_time(network_health_target_last_probe_timestamp_seconds[%(held)s]) > %(targetUnprobedSeconds)d
        )
    ||| % config,
    'for': config.targetFor,
    keep_firing_for: '5m',
    severity: 'warning',
    summary: '{{ $labels.target }} does not answer {{ $labels.instance }}',
    description: 'The internet is reachable. The failures of the target, by reason, show why its probes fail.',
  },
  {
    comment: |||
      The earliest expiry in the chain of certificates that a target sent last. A renewal shows with the next probe.
    |||,
    alert: 'NetworkHealthCertificateExpiring',
    expr: |||
      last_over_time(network_health_target_tls_not_after_timestamp_seconds[%(held)s]) - time() < %(certificateDays)d * 86400
    ||| % config,
    'for': '1h',
    severity: 'warning',
    summary: 'The certificate of {{ $labels.target }} expires soon',
    description: 'It expires in {{ $value | humanizeDuration }} (negative: it has expired), seen by {{ $labels.instance }}.',
  },
]
