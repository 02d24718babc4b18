"""What schemathesis cannot be told in its configuration."""

import itertools
import re

import schemathesis

# In turn, since no parameter of the description says it.
ACCEPTED = itertools.cycle(
    ["*/*", "application/json", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5", "text/html, */*;q=0.1"]
)
UNITS = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Refuses fields that are not described: for clients there may be more of them in a later version."""
    close(raw_schema["components"]["schemas"])


def close(schema):
    if isinstance(schema, list):
        for item in schema:
            close(item)
    elif isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            schema["additionalProperties"] = False
        for value in schema.values():
            close(value)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Asks for each form of an answer, and waits no longer than the test has time for."""
    case.headers["Accept"] = next(ACCEPTED)
    wait = (case.query or {}).get("wait")
    if isinstance(wait, str) and seconds(wait) > 0.05:
        case.query["wait"] = "50ms"


def seconds(text):
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"([0-9]+)(ms|[wdhms])", text))
