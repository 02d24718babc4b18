"""Checks what no schema knows of the workflows: workflows.py FOLDER

A job that may write, to the registry or to releases, needs the tests of the tag; and all steps are scripts that anyone can run,
or actions of one commit: a tag can be moved.
"""

import re
import sys
from pathlib import Path

import yaml

problems = []
ci, release = (yaml.safe_load((Path(sys.argv[1]) / name).read_text()) for name in ("ci.yml", "release.yml"))
# YAML 1.1 reads the key `on` as true.
if "workflow_call" not in ci[True]:
    problems.append("ci.yml cannot be called")
jobs = release["jobs"]
tests = {name for name, job in jobs.items() if job.get("uses") == "./.github/workflows/ci.yml"}
if not tests:
    problems.append("release.yml does not call ci.yml")


def needed(name):
    """All jobs that end well before this one starts."""
    direct = jobs[name].get("needs", [])
    direct = {direct} if isinstance(direct, str) else set(direct)
    return direct.union(*(needed(each) for each in direct))


if "write" in release["permissions"].values():
    problems.append("every job of release.yml may write")
for name, job in jobs.items():
    if "write" in job.get("permissions", {}).values() and not tests & needed(name):
        problems.append(f"{name} writes without the tests")
    # `always()` would start a job after a failure.
    if "if" in job:
        problems.append(f"{name} has a condition")
for job in [*ci["jobs"].values(), *jobs.values()]:
    for step in job.get("steps", []):
        if not ("uses" in step or step["run"].startswith("scripts/") or " docker login " in step["run"]):
            problems.append(f"not a script: {step['run']}")

for name in ("ci.yml", "release.yml"):
    for used in re.findall(r"\buses: *(.*)", (Path(sys.argv[1]) / name).read_text()):
        if not used.startswith("./") and not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used):
            problems.append(f"no commit with its version: {used}")

print("\n".join(problems))
sys.exit(1 if problems else 0)
