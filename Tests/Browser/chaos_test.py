"""Pages behind a network, a storage and a server at their worst: each click is done once, or the user was told that it may not be."""

import json
import os
import pathlib
import random
import shutil
import tempfile
import time
import urllib.request

from looks import seed_of_the_day
from network import Network
from support import REPOSITORY, BrowserTest

# A short run is enough to see that all of it works; RIB_CHAOS_SECONDS has a long one.
SECONDS = int(os.environ.get("RIB_CHAOS_SECONDS", 25))
PAGES = int(os.environ.get("RIB_CHAOS_PAGES", 20 if SECONDS > 60 else 6))


TRACE = os.environ.get("RIB_CHAOS_TRACE")


class User:
    """A page, its own way to the server, and what is known of its clicks."""

    def __init__(self, test, random, is_in_database):
        self.random = random
        self.path = "chaos.html?database" if is_in_database else "chaos.html"
        self.network = Network(test.daemon.port)
        self.page = test.new_page()
        self.control = test.context.new_cdp_session(self.page)
        self.page.expose_binding("tell", lambda source, text: self.hear(json.loads(text)))
        self.events = []
        self.heard = set()
        self.clicks = 0
        self.outcomes = {}
        self.problems = []
        # Clicks that the user was told may be lost: the page could not keep them, or what it had kept was damaged.
        self.warned = set()
        # By session: the token, and how its clicks have ended.
        self.tokens, self.applied, self.unsure = {}, {}, {}
        self.is_frozen_until = None
        self.counts = {}
        self.load()

    def hear(self, event):
        if event["number"] in self.heard:
            return
        self.heard.add(event["number"])
        self.events.append(event)
        name, sid = event["name"], event.get("sid")
        if event.get("token"):
            self.tokens[sid] = event["token"]
        # Whoever calls this is the page, which an error here would tell nothing.
        if name == "outcome":
            if event["id"] in self.outcomes:
                self.problems.append(f"{event} after {self.outcomes[event['id']]}")
            self.outcomes[event["id"]] = event["status"]
            known = self.applied if event["status"] == "applied" else self.unsure
            known.setdefault(sid, set()).add(event["id"])
        if name in ("lost", "error") or event.get("status") == "refused":
            self.problems.append(str(event))

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    @property
    def unanswered(self):
        return set(range(1, self.clicks + 1)) - set(self.outcomes) - self.warned

    def load(self):
        # A page must come before anything can go wrong with it, and not by a connection that swallows.
        self.network.work()
        self.network.cut()
        self.network.swallows_sockets = False
        while True:
            try:
                self.page.goto(f"{self.network.url}/{self.path}", timeout=5000)
                self.page.wait_for_selector("body[data-ready]", state="attached", timeout=5000)
                break
            except Exception as error:
                if TRACE:
                    print(error, flush=True)
                self.count("loads that failed")
        self.number, told = self.page.evaluate("[number, JSON.parse(localStorage.told ?? '[]')]")
        for event in told:
            self.hear(event)

    def click(self):
        for _ in range(self.random.randint(1, 4)):
            self.clicks += 1
            self.page.evaluate("(id) => click(id)", self.clicks)

    def reload(self, damages=False):
        if damages:
            self.page.evaluate("(choice) => damageAtEnd(choice)", self.random.randint(0, 19))
        is_kept, before = self.page.evaluate("session.stored"), self.number
        self.load()
        # What has become of the entry the new page says, or the old one has said. One without a session has none.
        deadline = time.monotonic() + 30
        while not any(it["name"] == "hello" and it["page"] == self.number for it in self.events):
            assert time.monotonic() < deadline, "The page has not begun"
            self.page.wait_for_timeout(5)
        old = [it for it in self.events if it["page"] == before]
        new = [it for it in self.events if it["page"] > before]
        is_damaged = any(it.get("reason") == "damaged" for it in new)
        told = [it["stored"] for it in old if it["name"] == "stored"]
        is_new = not is_kept and not any(it.get("status") in ("live", "resumed", "reset") for it in old)
        if is_damaged or is_new or (told and not told[-1]):
            self.warned |= self.unanswered

    def freeze(self, seconds):
        self.control.send("Page.setWebLifecycleState", {"state": "frozen"})
        self.is_frozen_until = time.monotonic() + seconds

    def thaw(self):
        self.control.send("Page.setWebLifecycleState", {"state": "active"})
        self.is_frozen_until = None

    def suffer(self):
        """One thing more goes wrong, or well."""
        if self.is_frozen_until:
            if time.monotonic() > self.is_frozen_until:
                self.thaw()
            return
        step = self.random.choices(
            ["click", "swallow", "stall sockets", "work", "close politely", "cut", "reload", "freeze", "fill", "empty", "damage"],
            [30, 3, 2, 12, 4, 4, 4, 2, 2, 4, 1])[0]
        self.count(step)
        if TRACE:
            print(time.monotonic(), id(self) % 1000, step, flush=True)
        match step:
            case "click": self.click()
            case "swallow": self.network.swallow()
            case "stall sockets": self.network.swallows_sockets = True
            case "work":
                self.network.work()
                self.network.swallows_sockets = False
            case "close politely": self.network.close_politely()
            case "cut": self.network.cut()
            case "reload": self.reload()
            case "freeze": self.freeze(self.random.uniform(0.2, 4))
            case "fill": self.page.evaluate("fill()")
            case "empty": self.page.evaluate("empty()")
            case "damage": self.reload(damages=True)

    def recover(self):
        """Everything works again."""
        if self.is_frozen_until:
            self.thaw()
        self.network.work()
        self.network.swallows_sockets = False
        self.page.evaluate("empty()")
        deadline = time.monotonic() + 90
        while not self.page.evaluate("session.pending.length === 0 && /live|resumed|reset/.test(session.status)"):
            assert time.monotonic() < deadline, self.page.evaluate("[session.status, session.reason, session.pending.length]")
            self.page.wait_for_timeout(100)

    def judge(self, url):
        """Compares what the user was told with what the server has done."""
        assert not self.problems, self.problems[:5]
        assert not self.unanswered, f"silently lost: {sorted(self.unanswered)}; {self.events[-30:]}"
        assert None not in self.applied, self.applied[None]
        for sid, token in self.tokens.items():
            applied = len(self.applied.get(sid, ()))
            unsure = len(self.unsure.get(sid, ())) + len(self.warned)
            state = state_of(url, sid, token)
            if state is None:
                assert not applied, f"{sid} is no more: {applied} were told"
                continue
            done = state["count"]
            assert applied <= done <= applied + unsure, f"{sid}: {done} done, {applied} told, {unsure} unsure"
            # Each number is paid once, however often it is asked for: one that was asked for twice is counted, and not paid.
            deadline = time.monotonic() + 20
            while state["paid"] != state["count"] and time.monotonic() < deadline:
                state = state_of(url, sid, token)
            assert state["paid"] == state["count"], f"{sid}: done twice: {state}"


def state_of(url, sid, token):
    """What a session's ledger shows; None if the session is no more."""
    request = urllib.request.Request(f"{url}/v1/sessions/{sid}/view", headers={"Riblet-Token": token})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            view = json.load(answer)
    except urllib.error.HTTPError as error:
        assert error.code == 404, error
        return None
    view = view.get("view", view)
    return view["nodes"][str(view["root"])]["state"]


class ChaosTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="rib-chaos-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        for module in REPOSITORY.glob("web/riblet*.js"):
            shutil.copy(module, folder)
        shutil.copy(REPOSITORY / "Tests/Browser/chaos_page.js", folder)
        (folder / "chaos.html").write_text(
            '<!doctype html><html lang="en"><title>Chaos</title><body><script type="module" src="chaos_page.js"></script>'
            '<script type="module" src="ready.js"></script>')
        (folder / "ready.js").write_text("document.body.dataset.ready = '';")
        cls.web = folder
        super().setUpClass()

    def test_no_click_is_lost_without_a_word_or_done_twice(self):
        seed = seed_of_the_day()
        dice = random.Random(seed)
        users = [User(self, random.Random(f"{seed} {number}"), number % 3 == 2) for number in range(PAGES)]
        for user in users:
            self.addCleanup(user.network.close)
        end = time.monotonic() + SECONDS
        kills, next_kill = 0, time.monotonic() + dice.uniform(2, 8)
        while time.monotonic() < end:
            for user in users:
                user.suffer()
            if time.monotonic() > next_kill:
                kills += 1
                self.daemon.restart()
                next_kill = time.monotonic() + dice.uniform(2, 12)
            self.page.wait_for_timeout(dice.uniform(0, 60))
        for user in users:
            user.recover()
        for user in users:
            user.judge(self.daemon.url)
        ends = [status for user in users for status in user.outcomes.values()]
        counts = {what: sum(user.counts.get(what, 0) for user in users) for user in users for what in user.counts}
        print(f"\n  seed {seed}, {SECONDS} s, {PAGES} pages, {kills} kills, {sum(user.clicks for user in users)} clicks: "
              f"{ {status: ends.count(status) for status in sorted(set(ends))} }, "
              f"{sum(len(user.warned) for user in users)} that the user was warned of; {counts}")
        self.assertGreater(ends.count("applied"), SECONDS)


if __name__ == "__main__":
    import unittest
    unittest.main()
