"""A real Prometheus."""

import json
import subprocess
import urllib.parse
import urllib.request

from support import PATIENCE, REPOSITORY, Daemon, free_port, tool

CONFIG = REPOSITORY / "config/prometheus"


class Prometheus:
    """Prometheus as config/prometheus has it, but for addresses and times, which scrapes a daemon twice a second."""

    def __init__(self, daemon: Daemon):
        self.daemon, self.port = daemon, free_port()

    def __enter__(self):
        directory = self.daemon.path
        (directory / "token").write_text(Daemon.TOKEN)
        config = (CONFIG / "prometheus.yml").read_text()
        for old, new in [
            ("scrape_interval: 15s", "scrape_interval: 500ms"), ("evaluation_interval: 15s", "evaluation_interval: 1s"),
            ("/etc/prometheus/ribserver.token", str(directory / "token")),
            ('["127.0.0.1:9464"]', f'["{self.daemon.admin.removeprefix("http://")}"]'),
            ("- ribserver.rules.yml", f"- {CONFIG}/ribserver.rules.yml"),
        ]:
            assert config.count(old) == 1, old
            config = config.replace(old, new)
        (directory / "prometheus.yml").write_text(config)
        with open(directory / "prometheus.log", "w") as log:
            self.process = subprocess.Popen(
                [tool("prometheus"), f"--config.file={directory}/prometheus.yml",
                 f"--storage.tsdb.path={directory}/tsdb", f"--web.listen-address=127.0.0.1:{self.port}"],
                stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)

    def query(self, expression: str) -> list[dict]:
        """What Prometheus has for an expression: of each series its labels and its value."""
        url = f"http://127.0.0.1:{self.port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]["result"]

    def value(self, expression: str) -> float | None:
        """The first value of an expression; None if there is none."""
        result = self.query(expression)
        return float(result[0]["value"][1]) if result else None
