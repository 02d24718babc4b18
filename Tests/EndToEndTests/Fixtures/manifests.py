"""Renders deploy/kubernetes and checks it: manifests.py REPOSITORY EXECUTABLE

Objects of Kubernetes against its schemas, those of Prometheus' operator by the rules below, and what no schema knows: that names
of ports, labels and namespaces fit together, that the pods are admitted where they are, and that the executable accepts the flags.
"""

import ipaddress
import json
import os
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import yaml

ROOT, EXECUTABLE = Path(sys.argv[1]), sys.argv[2]
FOLDER = ROOT / "deploy/kubernetes"
problems = []


def expect(holds, what):
    if not holds:
        problems.append(what)


def render(folder):
    command = ["kubectl", "kustomize", str(folder)]
    return list(yaml.safe_load_all(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


rendered = {
    name: render(FOLDER / name)
    for name in ("overlays/nodes", "overlays/metered-nodes", "examples/gate", "examples/sidecar", "monitoring")
}
expect(
    sorted(rendered) == sorted(str(path.parent.relative_to(FOLDER)) for path in FOLDER.rglob("kustomization.yaml")
                               if path.parent.name != "base"),
    "a kustomization is not checked",
)
objects = [(name, each) for name, listed in rendered.items() for each in listed]
namespaces = {each["metadata"]["name"]: each for _, each in objects if each["kind"] == "Namespace"}
workloads = [(name, each) for name, each in objects if "template" in each.get("spec", {})]


def matches(selector, labels):
    return selector["matchLabels"].items() <= labels.items()


# The schemas; strict means that an unknown key is an error.
for name, each in objects:
    if not each["apiVersion"].startswith("monitoring.coreos.com/"):
        try:
            kubernetes_validate.validate(each, "1.29", strict=True)
            kubernetes_validate.validate(each, kubernetes_validate.latest_version(), strict=True)
        except kubernetes_validate.ValidationError as error:
            expect(False, f"{name} {each['kind']}: {error.message}")


# Pods: what the profile "restricted" of Pod Security Standards demands, except the host's network in a privileged namespace.
for name, each in workloads:
    if any("--wait" in container.get("args", []) for container in each["spec"]["template"]["spec"].get("initContainers", [])):
        # Kubernetes reports a rollout as failed after ten minutes unless `progressDeadlineSeconds` is longer.
        expect(each["spec"].get("progressDeadlineSeconds", 600) > 24 * 3600, f"{name}: the rollout fails before the gate opens")
    template, level = each["spec"]["template"], namespaces[each["metadata"]["namespace"]]["metadata"]["labels"]
    level, pod = level["pod-security.kubernetes.io/enforce"], template["spec"]
    expect(matches(each["spec"]["selector"], template["metadata"]["labels"]), f"{name}: the selector does not match")
    expect(level == ("privileged" if pod.get("hostNetwork") else "restricted"), f"{name}: a namespace that is {level}")
    expect(not any("hostPath" in volume for volume in pod.get("volumes", [])), f"{name}: hostPath")
    security = pod["securityContext"]
    expect(security["runAsNonRoot"] and security["seccompProfile"]["type"] == "RuntimeDefault", f"{name}: {security}")
    expect(pod["automountServiceAccountToken"] is False, f"{name}: a token")
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    for container in pod.get("initContainers", []) + pod["containers"]:
        label = f"{name} {container['name']}"
        wanted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        expect(container["securityContext"] == wanted, f"{label}: {container['securityContext']}")
        expect("memory" in container["resources"]["limits"], f"{label}: no limit of memory")
        expect({mount["name"] for mount in container.get("volumeMounts", [])} <= volumes, f"{label}: an unknown volume")
        # The queue has up to 64 MB and the history 50 MB; a pod whose volume is larger than its limit is evicted.
        for mount in (mount for mount in container.get("volumeMounts", []) if mount["mountPath"] == "/data"):
            limit = next(volume for volume in pod["volumes"] if volume["name"] == mount["name"])["emptyDir"]["sizeLimit"]
            expect(limit.endswith("Mi") and int(limit[:-2]) * 2**20 > 64e6 + 50e6, f"{label}: {limit} for queue and history")
        probes = {key: container[key]["httpGet"] for key in container if key.endswith("Probe")}
        ports = {port["name"] for port in container.get("ports", [])}
        expect(all(probe["port"] in ports for probe in probes.values()), f"{label}: a probe of an unknown port")
        paths = {key: probe["path"] for key, probe in probes.items()}
        expect(paths.get("livenessProbe", "/-/healthy") == "/-/healthy", f"{label}: {paths}")
        # A requirement in a probe takes the pod out of its Services, or kills it, while the line is slow.
        expect(not any("/health?" in path for path in paths.values()), f"{label}: {paths}")
        if container["image"] != "network-health-exporter":
            continue

        # The flags, with the address as a node of either family has it. `serve` checks them and ends; `check` asks a closed port.
        for host in ("127.0.0.1", "::1"):
            environment = {"PATH": os.environ["PATH"]}
            for variable in container.get("env", []):
                value = variable.get("value", host)
                environment[variable["name"]] = value.replace("$(HOST_IP)", environment.get("HOST_IP", "$(HOST_IP)"))
            arguments = [each.replace("$(HOST_IP)", environment.get("HOST_IP", "$(HOST_IP)")) for each in container.get("args", [])]
            expect("$(" not in str(arguments) + str(environment), f"{label}: a variable before its definition")
            status = 0
            if arguments[:1] == ["check"]:
                expect(arguments[arguments.index("--wait") + 1] == "24h", f"{label}: {arguments}")
                arguments[arguments.index("--wait") + 1] = "0s"
                if "--url" in arguments:
                    # Of five digits, as the port of the manifest.
                    arguments[arguments.index("--url") + 1] = arguments[arguments.index("--url") + 1].replace(":10319", ":65535")
                else:
                    environment["NHE_WEB_LISTEN_ADDRESS"] = f"{host}:65535"
                status = 3
            else:
                arguments.append("--config.check")
            outcome = subprocess.run([EXECUTABLE, *arguments], env=environment, capture_output=True, text=True)
            expect(outcome.returncode == status, f"{label}: {arguments}: {outcome.returncode} {outcome.stderr}")


# The sidecar comes first, and only then what waits for it.
pod = rendered["examples/sidecar"][[each["kind"] for each in rendered["examples/sidecar"]].index("Deployment")]["spec"]["template"]["spec"]
sidecar, gate = pod["initContainers"]
expect(sidecar["restartPolicy"] == "Always" and "restartPolicy" not in gate, "the order of the init containers")
expect(sidecar["startupProbe"]["httpGet"]["path"] == "/-/ready", "the startup probe")

# No node has two exporters, whose port is the same.
nodes, metered = (next(each for each in rendered[f"overlays/{name}"] if each["kind"] == "DaemonSet")["spec"]["template"]["spec"]
                  for name in ("nodes", "metered-nodes"))
terms = nodes["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
(key, value), = metered["nodeSelector"].items()
# `NotIn` includes nodes without the label; with `DoesNotExist` a node with the value "false" would have no exporter.
expect(terms == [{"matchExpressions": [{"key": key, "operator": "NotIn", "values": [value]}]}], f"{terms}")
expect("affinity" not in metered, "the overlay has the affinity of the other nodes")

# The operator's kinds: the keys that are used here are those of its API, and each selects a port of a pod.
ENDPOINT = {"port", "path", "interval", "scrapeTimeout", "scheme", "relabelings", "metricRelabelings", "honorLabels"}
RELABELING = {"sourceLabels", "separator", "targetLabel", "regex", "replacement", "action", "modulus"}
selected = set()
for each in (each for each in rendered["monitoring"] if each["kind"] == "PodMonitor"):
    spec, name = each["spec"], each["metadata"]["name"]
    expect(spec.keys() <= {"jobLabel", "podTargetLabels", "namespaceSelector", "selector", "podMetricsEndpoints"}, f"{name}: {spec}")
    chosen = spec["namespaceSelector"]
    expect(chosen == {"any": True} or set(chosen["matchNames"]) <= namespaces.keys(), f"{name}: {chosen}")
    for endpoint in spec["podMetricsEndpoints"]:
        expect(endpoint.keys() <= ENDPOINT, f"{name}: {endpoint}")
        relabelings = endpoint.get("relabelings", [])
        expect(all(rule.keys() <= RELABELING for rule in relabelings), f"{name}: {endpoint}")
        # The operator adds `pod`: where it is not the instance, a replaced pod would begin a second series of this instance.
        sources = next(rule["sourceLabels"] for rule in relabelings if rule.get("targetLabel") == "instance")
        drops = {"action": "labeldrop", "regex": "pod"} in relabelings
        expect("__meta_kubernetes_pod_name" in sources or drops, f"{name}: the instance is {sources}, and the label pod is kept")
        found = [
            kustomization for kustomization, workload in workloads
            if matches(spec["selector"], workload["spec"]["template"]["metadata"]["labels"])
            and (chosen == {"any": True} or workload["metadata"]["namespace"] in chosen["matchNames"])
            and any(
                port["name"] == endpoint["port"]
                for container in [*workload["spec"]["template"]["spec"].get("initContainers", []),
                                  *workload["spec"]["template"]["spec"]["containers"]]
                for port in container.get("ports", [])
            )
        ]
        selected.update(found)
expect(selected == {"overlays/nodes", "overlays/metered-nodes", "examples/sidecar"}, f"scraped: {sorted(selected)}")

rules = next(each for each in rendered["monitoring"] if each["kind"] == "PrometheusRule")
groups = [
    group for path in sorted((ROOT / "grafana/alerts").glob("*.rules.yml")) for group in yaml.safe_load(path.read_text())["groups"]
]
expect(rules["spec"] == {"groups": groups}, "prometheusrule.yaml is not grafana/alerts: run scripts/manifests")

dashboards = next(each for each in rendered["monitoring"] if each["kind"] == "ConfigMap")
expect(dashboards["metadata"]["labels"] == {"grafana_dashboard": "1"}, f"{dashboards['metadata']}")
files = {path.name: json.loads(path.read_text()) for path in (ROOT / "grafana/dashboards").glob("*.json")}
expect(
    {name: json.loads(text) for name, text in dashboards["data"].items()} == files,
    "grafana/kustomization.yaml does not list all of grafana/dashboards",
)
expect(all(each["metadata"]["namespace"] == "monitoring" for each in rendered["monitoring"]), "another namespace than monitoring")

# The policy selects the sidecar, and lets it reach the exporter of its node.
policy = next(each for each in rendered["examples/sidecar"] if each["kind"] == "NetworkPolicy")["spec"]
expect(matches(policy["podSelector"], {"network-health/sidecar": "true"}), "the policy selects other pods")


def leaves(address, port, protocol):
    return any(
        ipaddress.ip_address(address) in ipaddress.ip_network(peer["ipBlock"]["cidr"])
        for rule in policy["egress"] if {"port": port, "protocol": protocol} in rule["ports"]
        for peer in rule["to"] if "ipBlock" in peer
    )


expect(leaves("192.0.2.1", 10319, "TCP"), "no egress to the node's exporter")
for protocol in ("UDP", "TCP"):
    for resolver in ("169.254.20.10", "fe80::1"):
        expect(leaves(resolver, 53, protocol), f"no egress to NodeLocal DNSCache: {resolver} {protocol}")
    expect(not leaves("192.0.2.1", 53, protocol), "egress to every name server")
    expect(
        any("namespaceSelector" in peer for rule in policy["egress"] if {"port": 53, "protocol": protocol} in rule["ports"]
            for peer in rule["to"]),
        f"no egress to the cluster's name servers: {protocol}",
    )

print("\n".join(problems))
sys.exit(1 if problems else 0)
