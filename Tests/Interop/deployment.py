"""The files with which a cluster is set up: Dockerfile, compose.cluster.yaml and config/kubernetes-cluster.yaml.

usage: deployment.py PROGRAM...
Has validators that were not written here read them, looks whether what they say in one place is true in others, and whether the images have
the libraries that the programs (of these names, in the directory of the first) need. Prints as JSON what a container of each image, and each
node, is started with.
"""
import json
import re
import subprocess
import sys
import urllib.parse
from pathlib import Path

import compose_spec
import kubernetes_validate
import yaml

repository = Path(__file__).parents[2]


def same(one, other, what: str) -> None:
    assert one == other, f"{what}: {one} is not {other}"


# MARK: Dockerfile


def read_stages() -> dict:
    """The instructions of each stage, those of the stage that it begins with before its own."""
    text = re.sub(r"^#.*\n", "", (repository / "Dockerfile").read_text(), flags=re.M).replace("\\\n", " ")
    stages, name = {}, ""
    for line in filter(None, map(str.strip, text.splitlines())):
        word, rest = line.split(None, 1)
        if word == "FROM":
            base, _, name = rest.split()
            stages[name] = list(stages.get(base, []))
        else:
            stages[name].append((word, rest))
    return stages


def installed(stage: list) -> set:
    """The packages that a stage installs."""
    commands = [command.split() for word, rest in stage if word == "RUN" for command in rest.split("&&")]
    return {word for command in commands if command[:2] == ["apt-get", "install"] for word in command[2:] if word[0] != "-"}


def last(stage: list, instruction: str) -> str:
    return [rest for word, rest in stage if word == instruction][-1]


def needed(program: Path) -> set:
    """The packages that have the libraries that a program needs, but for the C library's and the toolchain's."""
    lines = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.*)\]", lines))
    assert libraries, f"{program} needs nothing"
    packages = set()
    for library in libraries:
        found = subprocess.run(["dpkg", "-S", f"*/{library}"], capture_output=True, text=True).stdout
        # Newer systems call some of them otherwise: libcurl4t64.
        packages |= {line.split(":")[0].removesuffix("t64") for line in found.splitlines() if not line.startswith("diversion")}
    return packages - {"libc6"}


def read_images(programs: list) -> dict:
    stages, images = read_stages(), {}
    for program in programs:
        stage, source = stages[program.name], stages[f"build-{program.name}"]
        missing = needed(program) - installed(stage)
        assert not missing, f"the image {program.name} lacks {missing}"
        built = [re.findall(r"--product (\S+)", rest) for word, rest in source if word == "RUN" and "swift build" in rest]
        same(built, [[program.name]], "what is built for the image")
        copies = [rest.split() for word, rest in stage if word == "COPY"]
        assert [f"--from=build-{program.name}", f"/out/{program.name}", f"/usr/local/bin/{program.name}"] in copies
        entry = json.loads(last(stage, "ENTRYPOINT"))
        same(entry[0], program.name, "what the image starts")
        same(last(stage, "VOLUME"), last(stage, "WORKDIR"), "the volume, and where the program starts")
        images[program.name] = {
            "packages": sorted(installed(stage)), "buildPackages": sorted(installed(source)), "entry": entry,
            "directory": last(stage, "WORKDIR"), "user": last(stage, "USER"),
            "ports": [int(rest) for word, rest in stage if word == "EXPOSE"],
            "health": json.loads(last(stage, "HEALTHCHECK").split("CMD", 1)[1]),
            "files": {copy[1]: copy[0] for copy in copies if copy[0].startswith("config/")},
        }
    same(list(stages)[-1], "ribd", "what is built if nothing is said")
    return images


# MARK: Compose


def interpolate(value, variables: dict):
    """A value of a Compose file with its variables, and those defaults that are used."""
    if isinstance(value, dict):
        return {key: interpolate(item, variables) for key, item in value.items()}
    if isinstance(value, list):
        return [interpolate(item, variables) for item in value]
    if not isinstance(value, str):
        return value

    def replacement(match: re.Match) -> str:
        name, kind, word = match.groups()
        assert name in variables or kind == ":-", f"{name} is needed"
        return variables.get(name) or word

    value = re.sub(r"\$\{(\w+)(:[-?])([^}]*)\}", replacement, value)
    assert "$" not in value, f"{value} has a variable that is not understood here"
    return value


def seconds(text: str) -> int:
    return int(re.fullmatch(r"(\d+)s", text)[1])


def read_compose(image: dict) -> list:
    path = repository / "compose.cluster.yaml"
    file = interpolate(yaml.safe_load(path.read_text()), {"POSTGRES_PASSWORD": "a password"})
    compose_spec.PyCompose.from_json(json.dumps(file))
    services, networks = file["services"], file["networks"]
    database, balancer = services["postgres"], services["haproxy"]
    links = [name for name, network in networks.items() if network.get("internal")]
    same(list(database["networks"]), links, "the database's networks")
    nodes = {name: service for name, service in services.items() if service["image"] == "ribd-cluster"}
    same(sorted(balancer["depends_on"]), sorted(nodes), "whom haproxy waits for")
    front = {network["ipv4_address"] for network in balancer["networks"].values()}
    result = []
    for name, node in nodes.items():
        same(node["build"], {"context": ".", "target": "ribd-cluster"}, "the image of a node")
        environment, addresses = node["environment"], node["networks"]
        same(environment["RIBD_PROXIES_TRUSTED"].split(","), sorted(front), "the proxies that are trusted")
        url = urllib.parse.urlsplit(environment["RIBD_STORE_URL"])
        account = (url.hostname, url.username, url.path, environment["PGPASSWORD"])
        settings = database["environment"]
        same(account, ("postgres", settings["POSTGRES_USER"], "/" + settings["POSTGRES_DB"], settings["POSTGRES_PASSWORD"]),
             "the account at the database")
        command = node["command"]
        listens = command[command.index("--node-listen") + 1]
        same(listens.split(":")[0], addresses[links[0]]["ipv4_address"], "where a node listens to others")
        volumes = [volume.split(":") for volume in node["volumes"]]
        same([volume[1] for volume in volumes], [image["directory"]], "a node's volume")
        assert node["read_only"] and volumes[0][0] in file["volumes"]
        result.append({
            "name": name, "arguments": image["entry"][1:] + command, "listens": listens,
            "environment": {key: value for key, value in environment.items() if key.startswith("RIBD_")},
            "graceSeconds": seconds(node["stop_grace_period"]), "headStartSeconds": 0,
            "descriptors": node["ulimits"]["nofile"], "probes": []})
    same(len({volume for node in nodes.values() for volume in node["volumes"]}), len(nodes), "volumes of nodes")
    # What haproxy's container runs before haproxy, here.
    script = balancer["command"][0].split(" && ")[0].split(" >")[0]
    source, target, _ = balancer["volumes"][0].split(":")
    text = subprocess.run(["sh", "-c", script.replace(target, str(repository / source))],
                          check=True, capture_output=True, text=True).stdout
    outside = {node["networks"][name]["ipv4_address"] for node in nodes.values() for name in node["networks"] if name not in links}
    same(set(re.findall(r"^ *server \w+ (\S+)", text, re.M)), {f"{address}:{image['ports'][0]}" for address in outside},
         "the nodes that haproxy knows")
    same(re.findall(r"ssl crt (\S+)", text), [secret["target"] for secret in balancer["secrets"]], "haproxy's certificate")
    connections = int(re.search(r"maxconn (\d+)", text)[1])
    assert balancer["ulimits"]["nofile"] >= 2 * connections, "haproxy has too few descriptors"
    return result


# MARK: Kubernetes


def read_kubernetes(image: dict) -> dict:
    documents = list(yaml.safe_load_all((repository / "config/kubernetes-cluster.yaml").read_text()))
    for document in documents:
        # The first one that has all of it, and the last one that is known here.
        for version in ("1.30", kubernetes_validate.latest_version()):
            kubernetes_validate.validate(document, version, strict=True)
    kinds = {document["kind"]: document for document in documents}
    same(len(kinds), len(documents), "kinds")
    deployment, secret = kinds["Deployment"]["spec"], kinds["Secret"]
    pod = deployment["template"]["spec"]
    container, = pod["containers"]
    labels = deployment["template"]["metadata"]["labels"]
    selectors = [deployment["selector"]["matchLabels"], kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
                 kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"], kinds["Service"]["spec"]["selector"],
                 pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]]
    for selector in selectors:
        same(selector, labels, "a selector")
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    same(sorted(ports.values()), sorted(image["ports"]), "the ports")
    admitted = {rule["ports"][0]["port"]: rule["from"] for rule in kinds["NetworkPolicy"]["spec"]["ingress"]}
    same(set(admitted), set(ports), "the ports that the policy is about")
    same(admitted["nodes"], [{"podSelector": {"matchLabels": labels}}], "who reaches a node's port for nodes")
    service, = kinds["Service"]["spec"]["ports"]
    assert service["targetPort"] in ports
    rules = kinds["Ingress"]["spec"]["rules"]
    backend = rules[0]["http"]["paths"][0]["backend"]["service"]
    same((backend["name"], backend["port"]["name"]), (kinds["Service"]["metadata"]["name"], service["name"]), "the backend")
    variables, keys = {}, []
    for variable in container["env"]:
        source = variable["valueFrom"]
        if "secretKeyRef" in source:
            same(source["secretKeyRef"]["name"], secret["metadata"]["name"], "the secret")
            variables[variable["name"]] = secret["stringData"][source["secretKeyRef"]["key"]]
        else:
            same(source["fieldRef"]["fieldPath"], "status.podIP", "where a value is from")
            variables[variable["name"]] = "192.0.2.7"
    arguments = [re.sub(r"\$\((\w+)\)", lambda match: variables[match[1]], argument) for argument in container["args"]]
    listens = next(argument.split("=", 1)[1] for argument in arguments if argument.startswith("--node-listen="))
    same(listens, f"192.0.2.7:{ports['nodes']}", "where a node listens to others")
    assert f"--public-url=https://{rules[0]['host']}" in arguments
    context, user = pod["securityContext"], image["user"].split(":")
    same([str(context["runAsUser"]), str(context["runAsGroup"])], user, "the user")
    assert context["runAsNonRoot"] and container["securityContext"]["readOnlyRootFilesystem"]
    mount, = container["volumeMounts"]
    same(mount["mountPath"], image["directory"], "the volume")
    same([volume["name"] for volume in pod["volumes"]], [mount["name"]], "the volume's name")
    probes = [container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")]
    for probe in probes:
        same(ports[probe["port"]], image["ports"][0], "the port of a probe")
    return {
        "name": "a pod", "arguments": image["entry"][1:] + arguments, "listens": listens,
        "environment": {key: value for key, value in variables.items() if key.startswith("RIBD_")},
        "graceSeconds": pod["terminationGracePeriodSeconds"],
        "headStartSeconds": container["lifecycle"]["preStop"]["sleep"]["seconds"],
        "descriptors": None, "probes": [probe["path"] for probe in probes]}


if __name__ == "__main__":
    images = read_images([Path(path) for path in sys.argv[1:]])
    cluster = images["ribd-cluster"]
    print(json.dumps({"images": images, "nodes": read_compose(cluster), "pod": read_kubernetes(cluster)}))
