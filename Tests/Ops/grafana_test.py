"""The dashboard: Grafana's own types read it, and a real Prometheus answers what it asks.

No Grafana is where the tests are: how it looks there nobody has seen.
"""

import copy
import json
import re
import unittest
import urllib.error
import urllib.request

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from prometheus import Prometheus
from support import REPOSITORY, Counter, Daemon, could_not_run, together, wait_until

FILE = json.loads((REPOSITORY / "config/grafana.json").read_text())
PANELS = [panel for panel in FILE["panels"] if panel["type"] != "row"]


def lost(before, after, place: str = "") -> list[str]:
    """The places whose values are not what they were."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [found for key in before for found in lost(before[key], after.get(key), f"{place}.{key}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [found for index, (one, other) in enumerate(zip(before, after)) for found in lost(one, other, f"{place}[{index}]")]
    return [] if before == after else [place]


def unknown(file: dict) -> list[str]:
    """The places that Grafana's types do not have: they are left out on the way through them."""
    register_default_plugins()
    return lost(file, json.loads(JSONEncoder().encode(Dashboard.from_json(file))))


class DashboardTest(unittest.TestCase):
    def test_grafana_knows_all_of_it(self):
        self.assertEqual(unknown(FILE), [])
        could_not_run("Grafana, which Debian does not have; its own types have read the dashboard.")

    def test_what_grafana_does_not_know_is_found(self):
        for change in ["targets", "options", "fieldConfig"]:
            file = copy.deepcopy(FILE)
            panel = next(panel for panel in file["panels"] if panel["type"] == "timeseries")
            part = panel[change][0] if change == "targets" else panel[change]
            part["misspelt"] = "value"
            self.assertEqual(len(unknown(file)), 1, change)

    def test_panels_have_places_of_their_own(self):
        taken = {}
        for panel in FILE["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            for place in [(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])]:
                self.assertNotIn(place, taken, f"{panel['title']} and {taken.get(place)}")
                taken[place] = panel["title"]
        self.assertEqual(len({panel["id"] for panel in FILE["panels"]}), len(FILE["panels"]))
        for panel in PANELS:
            self.assertTrue(panel["description"].endswith("."), panel["title"])


class QueriesTest(unittest.TestCase):
    # With what stands for the variables, the seconds being enough for a scrape or two.
    VARIABLES = {"$instance": ".*", "$__rate_interval": "1m"}

    def test_prometheus_answers_each_query(self):
        daemon = Daemon()
        self.addCleanup(daemon.stop)

        async def click(count: int):
            async with Counter(daemon.url) as counter:
                for _ in range(count):
                    await counter.act()

        with Prometheus(daemon) as prometheus:

            def look() -> list[str]:
                return [f"{panel['title']}: {target['expr']}" for panel in PANELS for target in panel["targets"]
                        if not prometheus.query(self.filled(target["expr"]))]

            def live():
                # There is a rate of what goes on, and what is counted once it has happened is there.
                together(click(3))
                urllib.request.urlopen(daemon.url + "/v1/apps").close()
                request = urllib.request.Request(daemon.url + "/v1/apps", headers={"Host": "evil.example"})
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(request)
                self.assertEqual(caught.exception.code, 421)
                caught.exception.close()
                return not look()

            try:
                wait_until(live, "an answer to each query")
            except AssertionError:
                self.assertEqual(look(), [])
            for query in [variable["query"] for variable in FILE["templating"]["list"] if variable["type"] == "query"]:
                metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", query).groups()
                self.assertIn(label, prometheus.query(metric)[0]["metric"])

    def filled(self, expression: str) -> str:
        for name, value in self.VARIABLES.items():
            expression = expression.replace(name, value)
        self.assertNotIn("$", expression)
        return expression

    def test_documentation_has_each_metric(self):
        documented = (REPOSITORY / "docs/Operations.md").read_text()
        rows = [line for line in documented.splitlines() if line.startswith("| `")]
        names = set()
        for first in [row.split("|")[1] for row in rows]:
            stem = ""
            for name in re.findall(r"`(…?\w+)", first):
                # "…_total" goes on where the name before it does.
                names |= {name} if name[0] != "…" else {f"{stem[:end]}{name[1:]}" for end in range(1, len(stem) + 1)}
                stem = stem if name[0] == "…" else name
        asked = {name for panel in PANELS for target in panel["targets"]
                 for name in re.findall(r"\b((?:ribserver|http_server)_\w+)", target["expr"])}
        self.assertEqual({name for name in asked if re.sub(r"_(bucket|count)$", "", name) not in names}, set())


if __name__ == "__main__":
    unittest.main()
