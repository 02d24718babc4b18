// What a site may want to change. After a change run `scripts/mixin`, which writes the rules and the dashboards again.
{
  // Where docs/runbooks.md can be read: a path in this repository, which `NHE_HOMEPAGE=… scripts/mixin` makes a link. Set another address if you
  // publish runbooks of your own.
  runbooks: 'docs/runbooks.md',

  // The requirement of this network: a built-in one, or one of the configuration. Some requirements need more than a good line has
  // (largeDownload), or an unmetered path, and would never be satisfied.
  requirement: 'videoStreaming',

  // How long the last value counts after a failed scrape, as while the exporter is restarted: an alert that waits for `for` would begin
  // anew. It must be longer than two scrape intervals.
  held: '5m',

  online: 'last_over_time(network_health_online[%s]) == 1' % self.held,

  // Not for containers that follow the exporter of their host: they repeat its values, and thirty of them would repeat its alert.
  notAdopted: 'unless on (job, instance) last_over_time(network_health_monitor_backend_up{backend="host"}[%s])' % self.held,

  offlineFor: '2m',
  // Of the last outage, or of all outages in this window together.
  wasOfflineSeconds: 120,
  wasOfflineWindow: '1h',
  // Together a quarter of an hour: the second one also bridges a further outage.
  wasOfflineShownSeconds: 600,
  wasOfflineHeld: '5m',
  // After this time a removed target is not reported any more.
  absentWindow: '1d',
  absentFor: '5m',

  // Of the alerts that only inhibit others: longer than two scrape intervals, and than the probes of others take to succeed again.
  siteAbsent: '2m',
  siteHeld: '5m',

  flappingOutages: 3,
  flappingWindow: '1h',

  // The share of packets lost. From 5 % on, calls and TCP suffer audibly and visibly.
  lossRatio: 0.05,
  lossFor: '15m',
  // ITU-T G.114: from 150 ms one way on, a conversation suffers. Raise it for a geostationary satellite (0.6 s).
  latencySeconds: 0.25,
  latencyFor: '15m',
  // Of a queue or of too little speed at a place; a download of some minutes is none.
  slowFor: '10m',

  // What load adds to the latency; the lowest value of these hours counts, which therefore need two tests.
  bufferbloatSeconds: 0.2,
  bufferbloatHours: 26,

  // How long a skipped test counts, and the last success of a server that is gone. With the default schedule a week includes the
  // longest gap.
  speedtestWindow: '1w',
  failingWindow: '2d',

  // The remaining share of the month's bytes, while more than these days of the month are left.
  budgetRatio: 0.1,
  budgetDays: 3,

  // Speeds below the plan that a second test has confirmed.
  belowPlanShortfalls: 1,
  belowPlanWindow: '1d',

  // Of the bars in which events are counted: those of a longer gap between two scrapes are not shown after it.
  countedWindow: '1d',

  // Of a message: the recorded median may be evaluated seldom, and counts this long.
  recordedHeld: '15m',
  // NetworkManager counts as present this long after it was.
  backendWindow: '1d',
  // A target that was skipped in this time is not reported as down, nor one that was skipped in the longer time for what the path still
  // is: the longest interval of a target is a day.
  targetSkippedWindow: '15m',
  targetPausedWindow: '1d',
  // It is paused only while its last probe is older: no longer than targetSkippedWindow.
  targetUnprobedSeconds: 900,

  queueAgeSeconds: 3600,
  // A request is stuck only where tries have failed in this time: what waits for its requirement is not tried.
  queueRetryWindow: '1h',
  certificateDays: 14,
  expensiveFor: '15m',
  standbyDownFor: '5m',
  onStandbyFor: '5m',
  onStandbyWindow: '1d',
  // Longer than the interval of a target, so that a second probe must fail.
  targetFor: '5m',
}
