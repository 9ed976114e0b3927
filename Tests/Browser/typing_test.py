"""Typing at random: on slow links, over kills of the server and cuts, in the showcase's room, in React, in Vue and in a plain page, every text is whole."""

import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import unittest

from bindings_test import REACT_ROOM, SLOW, VUE_ROOM, library
from firefox import Firefox, firefox_path
from engine_cases import IS_REQUIRED
from looks import environment_with, look_of, seed_of_the_day
from support import PATIENCE, REPOSITORY, Chromium, Daemon

# How many texts are typed in each browser: a few show that it works; RIB_TYPING_RUNS has more.
RUNS = int(os.environ.get("RIB_TYPING_RUNS", 8))
PAGES = ["room", "plain", "react", "vue"]
WORDS = "the quick brown fox jumps over a lazy dog 1.5 naïve Zoë don’t - é".split()
ENTER = "\ue007"

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Typing</title><body><div id="app"></div>
<script type="importmap">{"imports": {"react": "/lib/react.js", "react-dom": "/lib/react-dom.js", "react-dom/client": "/lib/react-dom.js", "vue": "/lib/vue.js"}}</script>
<script type="module" src="/NAME.js"></script>"""

PLAIN_ROOM = """
import { connect, webSocket } from "/riblet.js";
import { bind, define, h, mount } from "/render.js";
""" + SLOW + """
define("Room", (state, act) => h("form", { onsubmit: (event) => { event.preventDefault(); act("sendTapped"); } },
  h("input", { id: "draft", autocomplete: "off", value: bind(state.draft, (text) => act({ draftChanged: text }), { clearedBy: ["sendTapped"] }) }),
  h("ul", null, state.messages.map(({ id, text }) => h("li", { key: id }, text)))));
mount(session, document.querySelector("#app"));
"""
ROOMS = {"plain": PLAIN_ROOM, "react": REACT_ROOM, "vue": VUE_ROOM}


def make_site():
    """A directory with the showcase, and the same room by React, by Vue and in a plain page."""
    site = pathlib.Path(tempfile.mkdtemp(prefix="rib-typing-"))
    for file in (REPOSITORY / "web").iterdir():
        if file.is_file():
            shutil.copy(file, site)
    (site / "lib").mkdir()
    for name in ("react", "react-dom", "vue"):
        (site / "lib" / f"{name}.js").write_text(library(name))
    for name, script in ROOMS.items():
        (site / f"{name}.html").write_text(PAGE.replace("NAME", name))
        (site / f"{name}.js").write_text('const APP = "room";\n' + script.replace("OPTIONS", "{ clearedBy: ['sendTapped'] }"))
    return site


class ChromiumKeys(Chromium):
    """One page of Chromium, with what an engine of the other drivers has of it."""

    @classmethod
    def make(cls):
        cls.launch("--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets")
        return cls()

    def __init__(self):
        self.context = self.new_context()
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)

    def open(self, url):
        self.page.goto(url)

    def run(self, expression):
        return self.page.evaluate(f"async () => ({expression})")

    def press(self, key):
        if key == ENTER:
            self.page.keyboard.press("Enter")
        else:
            self.page.keyboard.type(key)

    def close(self):
        self.context.close()


class FirefoxKeys:
    @staticmethod
    def make():
        font, scale = look_of("typing_test")
        return Firefox(environment_with(font), scale)


class Typing:
    keys = None

    @classmethod
    def setUpClass(cls):
        cls.site = make_site()
        cls.addClassCleanup(shutil.rmtree, cls.site)
        cls.daemon = Daemon("--limits-actions-per-second", "0", web=str(cls.site))
        cls.addClassCleanup(cls.daemon.close)
        cls.browser = cls.keys.make()
        cls.addClassCleanup(cls.browser.close)

    def wait(self, expression, why):
        deadline = time.monotonic() + PATIENCE / 1000
        while not self.browser.run(f"Boolean({expression})"):
            if time.monotonic() > deadline:
                self.fail(f"never: {why}; {self.browser.run('document.body.innerText')}")
            time.sleep(0.02)

    def begin(self, page, latency):
        """Opens a page, and says where its field and its messages are."""
        if page == "room":
            self.browser.open(f"{self.daemon.url}/riblet.d.ts")
            self.browser.open(f"{self.daemon.url}/#/room")
            field, messages = "#screen input[name=draft]", "#screen .messages p"
        else:
            self.browser.open(f"{self.daemon.url}/{page}.html?delay={latency}")
            field, messages = "#draft", "#app li"
        self.wait(f"document.querySelector('{field}')", f"{page} is drawn")
        if page == "room":
            self.wait("document.querySelector('#inspector > *')", "the inspector is drawn")
            self.browser.run(f"document.querySelector('input[name$=latency][value=\"{latency}\"]').click()")
        self.browser.run(f"document.querySelector('{field}').focus()")
        return field, messages

    def cut(self, page):
        self.browser.run("document.querySelector('[data-operation=drop]').click()" if page == "room" else "session.reconnect()")

    def type_at_random(self, number, draw):
        page = PAGES[number % len(PAGES)]
        latency = draw.choice([0, 100, 500, 2000] if page == "room" else [0, draw.randint(1, 300), draw.randint(300, 2000)])
        # Each ends as no other does: the room has what was said in it before.
        texts = [f"{' '.join(draw.choices(WORDS, k=draw.randint(1, 5)))} {number}.{part}" for part in range(draw.randint(1, 3))]
        fault, at = draw.choice(["", "kill", "cut", "kill", "cut"]), draw.randrange(len(texts[0]))
        story = f"{page}, {latency} ms, {fault or 'no fault'} at {at} of {texts}"
        field, messages = self.begin(page, latency)
        # In the room the author is before the text.
        has = (f"[...document.querySelectorAll('{messages}')]"
               ".map((it) => it.textContent.slice(it.querySelector('strong') ? it.querySelector('strong').textContent.length + 1 : 0))")
        for text in texts:
            for index, character in enumerate(text):
                if text is texts[0] and index == at:
                    if fault == "kill":
                        self.daemon.kill()
                        self.daemon.start()
                    elif fault:
                        self.cut(page)
                self.browser.press(character)
                # A person's keys.
                time.sleep(draw.uniform(0.04, 0.17))
            self.browser.press(ENTER)
        self.wait(f"document.querySelector('{field}').value === '' && {has}.at(-1)?.endsWith(' {number}.{len(texts) - 1}')", story)
        self.assertEqual(self.browser.run(has)[-len(texts):], texts, story)

    def test_texts_that_are_typed_at_random_are_whole(self):
        seed = seed_of_the_day()
        print(f"{type(self).__name__}: {RUNS} texts, RIB_SEED={seed}", file=sys.stderr)
        for number in range(RUNS):
            with self.subTest(number=number):
                self.type_at_random(number, random.Random(f"{seed} {number}"))


class ChromiumTypingTest(Typing, unittest.TestCase):
    keys = ChromiumKeys


@unittest.skipUnless(firefox_path() or IS_REQUIRED, "there is no Firefox")
class FirefoxTypingTest(Typing, unittest.TestCase):
    keys = FirefoxKeys


if __name__ == "__main__":
    unittest.main()
