"""The files that set up one server in containers: validators read them, and a real daemon and a real Caddy start as they say.

No container is run here: neither Docker nor Kubernetes is where the tests are. `image_test` builds the image, and runs what is in it.
`DeploymentTests` has the files of a cluster.
"""

import functools
import hashlib
import json
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import compose_spec
import kubernetes_validate
import yaml

from caddy_test import Caddy
from proxies import Checks
from support import PATIENCE, REPOSITORY, RIBD, Daemon, could_not_run, free_port, is_long

sys.path.append(str(REPOSITORY / "Tests/Interop"))
import deployment  # noqa: E402

TOKEN = "token of Prometheus"


@functools.cache
def read_image() -> dict:
    """What the Dockerfile says of the image, which has the libraries that ribd needs."""
    return deployment.read_images([RIBD])["ribd"]


class ContainersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.image = read_image()

    def test_hadolint_has_nothing_to_say(self):
        # Versions are not pinned: a new image is to have Debian's security updates.
        judged = subprocess.run(
            [Path(sys.executable).with_name("hadolint"), "--ignore", "DL3008", REPOSITORY / "Dockerfile"],
            capture_output=True, text=True)
        self.assertEqual((judged.returncode, judged.stdout + judged.stderr), (0, ""))

    def start(self, arguments: list[str], environment: dict[str, str], **replaced: str) -> Daemon:
        """A daemon with the arguments of a container of the image, at free ports of this machine."""
        known = {"0.0.0.0": "127.0.0.1", "8080": "0", **replaced}
        known |= {path: str(REPOSITORY / file) for path, file in self.image["files"].items()}
        arguments = [known.get(argument, argument) for argument in self.image["entry"][1:] + arguments]
        daemon = Daemon(*arguments, environment=environment)
        self.addCleanup(daemon.stop)
        return daemon

    def test_kubernetes_file_sets_a_server_up(self):
        documents = list(yaml.safe_load_all((REPOSITORY / "config/kubernetes.yaml").read_text()))
        for document in documents:
            # The first one that has all of it, and the last one that is known here.
            for version in ("1.30", kubernetes_validate.latest_version()):
                kubernetes_validate.validate(document, version, strict=True)
        kinds = {document["kind"]: document for document in documents}
        self.assertEqual(len(kinds), len(documents))
        stateful = kinds["StatefulSet"]["spec"]
        pod, labels = stateful["template"]["spec"], stateful["template"]["metadata"]["labels"]
        [container] = pod["containers"]
        for selector in [stateful["selector"]["matchLabels"], kinds["Service"]["spec"]["selector"],
                         kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]]:
            self.assertEqual(selector, labels)
        self.assertEqual((stateful["replicas"], stateful["serviceName"]), (1, kinds["Service"]["metadata"]["name"]))
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        self.assertEqual(ports["http"], self.image["ports"][0])
        admitted = [rule["ports"][0]["port"] for rule in kinds["NetworkPolicy"]["spec"]["ingress"]]
        self.assertEqual(sorted(admitted), sorted(ports))
        [rule] = kinds["Ingress"]["spec"]["rules"]
        self.assertIn(f"--public-url=https://{rule['host']}", container["args"])
        backend = rule["http"]["paths"][0]["backend"]["service"]
        self.assertEqual(
            (backend["name"], backend["port"]["name"]),
            (kinds["Service"]["metadata"]["name"], kinds["Service"]["spec"]["ports"][0]["name"]))
        # What a pod may do: nothing that it need not.
        context, own = pod["securityContext"], container["securityContext"]
        self.assertEqual(f"{context['runAsUser']}:{context['runAsGroup']}", self.image["user"])
        self.assertEqual((context["runAsNonRoot"], context["seccompProfile"]), (True, {"type": "RuntimeDefault"}))
        self.assertEqual(own, {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                               "capabilities": {"drop": ["ALL"]}})
        # What outlives a pod is on the volume, and what the Secret has is where the daemon looks for it.
        [claim], mounts = stateful["volumeClaimTemplates"], {mount["name"]: mount for mount in container["volumeMounts"]}
        self.assertEqual(mounts[claim["metadata"]["name"]]["mountPath"], self.image["directory"])
        [secret] = [volume for volume in pod["volumes"] if "secret" in volume]
        self.assertEqual(secret["secret"]["secretName"], kinds["Secret"]["metadata"]["name"])
        self.assertIn(f"--admin-token-file={mounts[secret['name']]['mountPath']}/tokens", container["args"])
        # The kubelet kills nobody who is writing, and not before the daemon itself knows what hangs.
        defaults = {"drain": 2, "closing": 5, "store": 10, "watchdog": 30}
        self.assertGreater(
            pod["terminationGracePeriodSeconds"], defaults["drain"] + defaults["closing"] + defaults["store"])
        live = container["livenessProbe"]
        self.assertGreaterEqual(live["periodSeconds"] * live["failureThreshold"], defaults["watchdog"])
        # A daemon that is started so answers the kubelet, which calls it by the pod's address, and Prometheus.
        with tempfile.TemporaryDirectory() as directory:
            tokens = Path(directory) / "tokens"
            name, role, digest = kinds["Secret"]["stringData"]["tokens"].strip().split(":")
            self.assertEqual(len(digest), 64)
            tokens.write_text(f"{name}:{role}:{hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
            daemon = self.start([
                argument.replace(":9464", ":0").replace("/etc/ribd-admin/tokens", str(tokens))
                for argument in container["args"]], {})
            probes = [container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")]
            self.assertEqual({probe["port"] for probe in probes}, {"http"})
            for probe in probes:
                self.assertEqual(self.ask(daemon.url + probe["path"], Host="192.0.2.7:8080"), 200, probe)
            metrics = daemon.admin + "/metrics"
            self.assertEqual(self.ask(metrics, Host="192.0.2.7:9464"), 401)
            self.assertEqual(self.ask(metrics, Host="192.0.2.7:9464", Authorization=f"Bearer {TOKEN}"), 200)
        could_not_run("config/kubernetes.yaml in a Kubernetes; a validator has read it, and a daemon was started as it says.")

    @staticmethod
    def ask(url: str, **fields: str) -> int:
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=fields), timeout=60) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_image_is_well_by_its_own_check(self):
        daemon = self.start([], {})
        known = {"ribd": str(RIBD), **{path: str(REPOSITORY / file) for path, file in self.image["files"].items()}}

        def check(port: str) -> int:
            words = [known.get(word, word.replace("8080", port)) for word in self.image["health"]]
            return subprocess.run(words, capture_output=True, timeout=PATIENCE).returncode

        self.assertEqual(check(daemon.url.rsplit(":", 1)[1]), 0)
        # Nobody is there.
        self.assertNotEqual(check(str(free_port())), 0)


def read_compose(variables: dict[str, str]) -> dict:
    file = yaml.safe_load((REPOSITORY / "config/compose.yaml").read_text())
    file = deployment.interpolate(file, variables)
    compose_spec.PyCompose.from_json(json.dumps(file))
    return file


class ComposeFileTest(unittest.TestCase):
    def test_file_says_what_is_true_elsewhere(self):
        file, image = read_compose({}), read_image()
        server, caddy = file["services"]["ribd"], file["services"]["caddy"]
        self.assertEqual(server["build"], {"context": "..", "target": "ribd"})
        self.assertEqual(server["environment"], {
            "RIBD_PUBLIC_URL": "https://localhost", "RIBD_PROXIES_TRUSTED": caddy["networks"]["front"]["ipv4_address"]})
        self.assertTrue(server["read_only"] and caddy["read_only"])
        self.assertEqual([volume.split(":")[1] for volume in server["volumes"]], [image["directory"]])
        named = {volume.split(":")[0] for service in (server, caddy) for volume in service["volumes"] if volume[0] != "."}
        self.assertEqual(named, set(file["volumes"]))
        self.assertGreaterEqual(server["ulimits"]["nofile"], 20_000)
        self.assertGreaterEqual(caddy["ulimits"]["nofile"], 40_000)
        self.assertGreaterEqual(deployment.seconds(server["stop_grace_period"]), 2 + 5 + 10)
        could_not_run("config/compose.yaml in a Docker; a validator has read it.")


class ComposeCaddy(Caddy):
    """Caddy with the configuration that its container makes."""

    def shipped(self, *changes: tuple[str, str]) -> str:
        caddy = read_compose({"RIBD_HOST": "app.example.com"})["services"]["caddy"]
        script, start = caddy["command"][0].split(" && ")
        assert start == "exec caddy run --config /tmp/Caddyfile", start
        source, target, _ = caddy["volumes"][0].split(":")
        made = self.directory / "made"
        script = script.replace(target, str(REPOSITORY / "config" / source)).replace("/tmp/Caddyfile", str(made))
        subprocess.run(["sh", "-c", script], check=True)
        text = made.read_text()
        for old, new in changes:
            old = old.replace("127.0.0.1:8080", "ribd:8080")
            assert text.count(old) == 1, f"{old} is {text.count(old)} times in {text}"
            text = text.replace(old, new)
        return text


@is_long
class ComposeTest(Checks, unittest.TestCase):
    """Clients of both containers' programs."""

    make_proxy = ComposeCaddy


if __name__ == "__main__":
    unittest.main()
