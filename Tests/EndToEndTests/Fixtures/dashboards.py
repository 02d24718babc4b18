"""Parses a dashboard with Grafana's own model, and prints what it has found: dashboards.py FILE"""

import json
import sys

from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models import dashboard, prometheus

register_default_plugins()
with open(sys.argv[1], encoding="utf-8") as file:
    parsed = dashboard.Dashboard.from_json(json.load(file))
panels = [panel for panel in parsed.panels if isinstance(panel, dashboard.Panel)]
for panel in panels:
    # A panel of an unknown type keeps its options as a dictionary.
    assert not isinstance(panel.options, dict), f"{panel.title}: {panel.type_val}"
    for query in panel.targets:
        assert isinstance(query, prometheus.Dataquery) and query.expr, panel.title
queries = sum(len(panel.targets) for panel in panels)
print(json.dumps({"panels": len(parsed.panels), "queries": queries}))
