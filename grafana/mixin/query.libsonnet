// A query within the text of an alert, about the series of the alert's own exporter: `{}` in the expression becomes a selector of
// these labels. The result is what `with` and `range` of Go's templates take: none where there is no series.
function(expression, labels=['job', 'instance'])
  local selector = '{%s}' % std.join(',', ['%s=%%[%d]q' % [labels[i], i + 1] for i in std.range(0, std.length(labels) - 1)]);
  'printf `%s` %s | query' % [
    std.strReplace(std.strReplace(expression, '%', '%%'), '{}', selector),
    std.join(' ', ['$labels.' + label for label in labels]),
  ]
