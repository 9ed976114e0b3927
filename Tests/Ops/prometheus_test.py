"""The metrics, as Prometheus itself reads them: its lint, its rules, and its server."""

import re
import subprocess
import unittest
import urllib.request

from prometheus import CONFIG, Prometheus
from support import Counter, Daemon, together, tool, wait_until


class RulesTest(unittest.TestCase):
    def test_rules_are_right_and_tested(self):
        promtool = tool("promtool", "prometheus")
        subprocess.run([promtool, "check", "rules", CONFIG / "ribserver.rules.yml"], check=True, capture_output=True)
        tested = subprocess.run(
            [promtool, "test", "rules", CONFIG / "ribserver.rules_test.yml"], capture_output=True, text=True)
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)

    def test_each_alert_is_tested(self):
        rules = (CONFIG / "ribserver.rules.yml").read_text()
        alerts = {line.split()[-1] for line in rules.splitlines() if "- alert:" in line}
        tests = (CONFIG / "ribserver.rules_test.yml").read_text()
        self.assertEqual([name for name in alerts if f'alertname="{name}"' not in tests], [])

    def test_configuration_is_read(self):
        checked = subprocess.run(
            [tool("promtool", "prometheus"), "check", "config", "--syntax-only", CONFIG / "prometheus.yml"],
            capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


class ScrapeTest(unittest.TestCase):
    """A daemon with some clients."""

    def setUp(self):
        self.daemon = Daemon("--limits-actions-per-second", "0")
        self.addCleanup(self.daemon.stop)

    async def click(self, count: int) -> int:
        async with Counter(self.daemon.url) as counter:
            for _ in range(count):
                await counter.act()
            return counter.sent

    def test_lint_has_nothing_to_say(self):
        together(*(self.click(20) for _ in range(3)))
        # What requests are counted by is there once there was one.
        urllib.request.urlopen(self.daemon.url + "/v1/apps").close()
        status, text = self.daemon.ask_admin("/metrics")
        self.assertEqual(status, 200)
        checked = subprocess.run(
            [tool("promtool", "prometheus"), "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))

    def test_rules_ask_for_metrics_that_are_there(self):
        together(self.click(1))
        _, text = self.daemon.ask_admin("/metrics")
        there = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
        there |= {f"{name}_bucket" for name in there} | {"up", "ALERTS"}
        rules = (CONFIG / "ribserver.rules.yml").read_text()
        asked = set(re.findall(r"\b((?:ribserver|process)_\w+)\b", "\n".join(
            line for line in rules.splitlines() if "summary" not in line and "action" not in line)))
        self.assertEqual(asked - there, set())

    def test_prometheus_counts_what_clients_have_sent(self):
        with Prometheus(self.daemon) as prometheus:
            query = prometheus.value
            wait_until(lambda: query('up{job="ribserver"}') == 1, "the first scrape")
            sent = sum(together(*(self.click(500) for _ in range(4))))
            total = 'sum(ribserver_actions_total{outcome="applied"})'
            wait_until(lambda: query(total) == sent, f"{sent} actions in Prometheus")
            # The rate over a time in which all of them were sent, times that time, extrapolated to its ends as Prometheus does it.
            increase = wait_until(lambda: query(f'sum(increase(ribserver_actions_total{{outcome="applied"}}[2m]))'), "a rate")
            self.assertAlmostEqual(increase / sent, 1, delta=0.15)
            wait_until(lambda: query("sum(ribserver_answer_duration_seconds_count)") == sent, "their answers")
            self.assertEqual(query('count(ALERTS{alertstate="firing"}) or vector(0)'), 0)


if __name__ == "__main__":
    unittest.main()
