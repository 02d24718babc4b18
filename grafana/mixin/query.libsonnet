// A query within the text of an alert, about the series of the alert's own exporter: `{}` in the expression becomes a selector of
// these labels, and of further matchers. The result is what `with` and `range` of Go's templates take: none where there is no series.
function(expression, labels=['job', 'instance'], matchers=[])
  local own = ['%s=%%[%d]q' % [labels[i], i + 1] for i in std.range(0, std.length(labels) - 1)];
  local selector = '{%s}' % std.join(',', own + matchers);
  'printf `%s` %s | query' % [
    std.strReplace(std.strReplace(expression, '%', '%%'), '{}', selector),
    std.join(' ', ['$labels.' + label for label in labels]),
  ]
