// Panels, rows and dashboards with what all of them have in common. In an expression `SEL` stands for the matchers of the variables.
local config = import '../config.libsonnet';
local datasource = { type: 'prometheus', uid: '${datasource}' };
local matchers = 'job=~"$job",instance=~"$instance"';
local letters = 'ABCDEFGHIJKLM';

local reduced = { calcs: ['lastNotNull'], fields: '', values: false };

local target(spec, index, instant) = {
  datasource: datasource,
  refId: letters[index],
  expr: std.strReplace(spec.expr, 'SEL', matchers),
  legendFormat: if 'legend' in spec then spec.legend else '__auto',
  editorMode: 'code',
  instant: instant,
  range: !instant,
  [if 'format' in spec then 'format']: spec.format,
};

local panel(type, instant, title, w, h, description, targets, unit, defaults, options) = {
  type: type,
  title: title,
  description: description,
  datasource: datasource,
  gridPos: { w: w, h: h },
  targets: [target(targets[i], i, instant) for i in std.range(0, std.length(targets) - 1)],
  fieldConfig: {
    defaults: {
      color: { mode: 'thresholds' },
      thresholds: { mode: 'absolute', steps: [{ value: null, color: 'text' }] },
      unit: unit,
    } + defaults,
    overrides: [],
  },
  options: options,
};

{
  matchers: matchers,
  datasource: datasource,

  stat(title, w, description, targets, unit='none')::
    panel('stat', true, title, w, 4, description, targets, unit, {}, {
      colorMode: 'value',
      graphMode: 'none',
      justifyMode: 'center',
      orientation: 'auto',
      reduceOptions: reduced,
      textMode: 'auto',
      wideLayout: true,
    }),

  timeline(title, w, h, description, targets)::
    panel('state-timeline', false, title, w, h, description, targets, 'none', {
      custom: { lineWidth: 0, fillOpacity: 80, spanNulls: false },
    }, {
      mergeValues: true,
      showValue: 'auto',
      alignValue: 'left',
      rowHeight: 0.85,
      legend: { showLegend: false, displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'single', sort: 'none' },
    }),

  series(title, description, targets, unit, w=12)::
    panel('timeseries', false, title, w, 8, description, targets, unit, {
      color: { mode: 'palette-classic' },
      custom: { drawStyle: 'line', lineWidth: 1, fillOpacity: 5, showPoints: 'never', spanNulls: false },
    }, {
      legend: { showLegend: true, displayMode: 'list', placement: 'bottom', calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    }),

  // With a fixed interval: each event is in one bar. See `counted`.
  bars(title, description, targets, unit='short')::
    self.series(title, description, targets, unit) + {
      interval: '5m',
      fieldConfig+: { defaults+: {
        min: 0,
        custom: { drawStyle: 'bars', lineWidth: 1, fillOpacity: 80, showPoints: 'never', stacking: { mode: 'normal', group: 'A' } },
      } },
    },

  // The events of one interval. The difference counts an event once, and what happened between two scrapes in the first interval
  // after them; after a restart of the exporter, when it is negative, or at the first scrape, `increase` replaces it.
  counted(selector)::
    '(%(x)s - last_over_time(%(x)s[%(gap)s] offset $__interval)) >= 0 or increase(%(x)s[$__rate_interval])' % { x: selector, gap: config.countedWindow },

  steps:: { fieldConfig+: { defaults+: { custom+: { lineInterpolation: 'stepAfter' } } } },
  nonNegative:: { fieldConfig+: { defaults+: { min: 0 } } },

  bargauge(title, w, h, description, targets, unit)::
    panel('bargauge', true, title, w, h, description, targets, unit, { min: 0 }, {
      displayMode: 'basic',
      orientation: 'horizontal',
      showUnfilled: true,
      valueMode: 'text',
      minVizWidth: 8,
      minVizHeight: 10,
      namePlacement: 'left',
      reduceOptions: reduced,
    }),

  heatmap(title, description, expr)::
    panel('heatmap', false, title, 12, 8, description, [{ expr: expr, legend: '{{le}}', format: 'heatmap' }], 'short', {}, {
      calculate: false,
      cellGap: 1,
      color: { mode: 'scheme', scheme: 'Oranges', steps: 64, exponent: 0.5, reverse: false },
      exemplars: { color: 'rgba(255,0,255,0.7)' },
      filterValues: { le: 1e-9 },
      legend: { show: true },
      rowsFrame: { layout: 'auto' },
      tooltip: { mode: 'single', showColorScale: false, yHistogram: false },
      yAxis: { axisPlacement: 'left', reverse: false, unit: 's' },
    }),

  table(title, h, description, targets, transformations)::
    panel('table', true, title, 24, h, description, [t { format: 'table' } for t in targets], 'short', {
      custom: { align: 'auto', cellOptions: { type: 'auto' }, filterable: true, inspect: false },
    }, { showHeader: true, cellHeight: 'sm', footer: { show: false, countRows: false, fields: '', reducer: ['sum'] } })
    + { transformations: transformations },

  // Of a panel: the colors of its values from the first threshold on.
  thresholds(steps):: { fieldConfig+: { defaults+: { thresholds: {
    mode: 'absolute',
    steps: [{ value: step[0], color: step[1] } for step in steps],
  } } } },
  defaults(values):: { fieldConfig+: { defaults+: values } },
  options(values):: { options+: values },

  // Names for the values of a state, in their order: [value, text, color].
  mapping(states):: [{ type: 'value', options: {
    [std.toString(states[i][0])]: { text: states[i][1], color: states[i][2], index: i }
    for i in std.range(0, std.length(states) - 1)
  } }],
  states(states):: self.defaults({ mappings: $.mapping(states) }),
  // Properties of the series of one query, or of the field of a name.
  query(refId, properties):: $.override('byFrameRefID', refId, properties),
  field(name, properties):: $.override('byName', name, properties),
  override(matcher, options, properties):: { fieldConfig+: { overrides+: [{
    matcher: { id: matcher, options: options },
    properties: [{ id: id, value: properties[id] } for id in std.objectFields(properties)],
  }] } },
  dashed(name):: self.field(name, {
    color: { mode: 'fixed', fixedColor: 'red' },
    'custom.lineStyle': { fill: 'dash', dash: [10, 10] },
    'custom.fillOpacity': 0,
    'custom.stacking': { mode: 'none', group: 'B' },
  }),

  // A row, and below it its panels from left to right; a line ends where the next panel does not fit.
  row(title, panels, repeat=null):: { title: title, panels: panels, repeat: repeat },

  local placed(rows) =
    local put(state, panel) =
      local wraps = state.x + panel.gridPos.w > 24;
      local x = if wraps then 0 else state.x;
      local y = if wraps then state.y + state.h else state.y;
      state {
        x: x + panel.gridPos.w,
        y: y,
        h: if wraps then panel.gridPos.h else std.max(state.h, panel.gridPos.h),
        out: state.out + [panel { gridPos+: { x: x, y: y } }],
      };
    local begin(state, row) =
      local y = state.y + state.h;
      std.foldl(put, row.panels, { x: 0, y: y + 1, h: 0, out: state.out + [{
        type: 'row',
        title: row.title,
        collapsed: false,
        panels: [],
        gridPos: { x: 0, y: y, w: 24, h: 1 },
        [if row.repeat != null then 'repeat']: row.repeat,
      }] });
    std.foldl(begin, rows, { x: 0, y: 0, h: 0, out: [] }).out,

  local variable(name, label, query) = {
    name: name,
    label: label,
    type: 'query',
    datasource: datasource,
    definition: query,
    query: { qryType: 1, query: query, refId: name },
    refresh: 2,
    sort: 1,
    hide: 0,
    multi: true,
    includeAll: true,
    allValue: '.+',
    regex: '',
    options: [],
    current: {},
  },

  annotation(name, color, expr, title):: {
    name: name,
    datasource: datasource,
    enable: true,
    hide: false,
    iconColor: color,
    expr: std.strReplace(expr, 'SEL', matchers),
    titleFormat: title,
    textFormat: '{{instance}}',
    step: '60s',
    useValueForTime: true,
  },

  dashboard(uid, title, description, from, rows, annotations=[], links=[])::
    local list = placed(rows);
    {
      id: null,
      uid: uid,
      title: title,
      description: description,
      tags: ['network', 'prometheus'],
      schemaVersion: 39,
      version: 1,
      editable: false,
      graphTooltip: 1,
      timezone: 'browser',
      refresh: '30s',
      time: { from: from, to: 'now' },
      annotations: { list: annotations },
      links: links,
      templating: { list: [
        {
          name: 'datasource',
          label: 'Data source',
          type: 'datasource',
          query: 'prometheus',
          refresh: 1,
          hide: 0,
          multi: false,
          includeAll: false,
          regex: '',
          options: [],
          current: {},
        },
        variable('job', 'Job', 'label_values(network_health_exporter_build_info, job)'),
        variable('instance', 'Instance', 'label_values(network_health_exporter_build_info{job=~"$job"}, instance)'),
      ] },
      panels: [list[i] { id: i + 1 } for i in std.range(0, std.length(list) - 1)],
    },

  // Addresses of the dashboards: of the chosen hosts, and of all, without `instance`.
  detail:: '/d/network-health?${datasource:queryparam}&${job:queryparam}&${instance:queryparam}',
  why:: '/d/network-health-why?${datasource:queryparam}&${job:queryparam}&${instance:queryparam}',
  all:: '/d/network-health-fleet?${datasource:queryparam}&${job:queryparam}',

  link(title, url):: {
    type: 'link', title: title, url: url, icon: 'external link', tooltip: '', targetBlank: false,
    asDropdown: false, includeVars: false, keepTime: true, tags: [],
  },
}
