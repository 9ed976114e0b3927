"""The renderers of README.md and docs/WebClient.md, run as they stand there."""

import pathlib
import re
import shutil
import tempfile
import unittest

from support import REPOSITORY, BrowserTest, expect


def scripts(name):
    """The blocks of a document that import the client, and so are whole."""
    blocks = re.findall(r"```js\n(.*?)```", (REPOSITORY / name).read_text(), re.S)
    return [block for block in blocks if 'from "./riblet.js"' in block]


class DocsTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        # The client's modules are served beside it.
        folder = pathlib.Path(tempfile.mkdtemp(prefix="rib-docs-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        blocks = scripts("README.md") + scripts("docs/WebClient.md")
        for number, block in enumerate(blocks):
            (folder / f"{number}.js").write_text(block)
            style = '<link rel="stylesheet" href="inspector.css">' if "inspector.js" in block else ""
            page = f'<!doctype html><html lang="en"><title>Sample</title>{style}<body><script type="module" src="{number}.js"></script>'
            (folder / f"{number}.html").write_text(page)
        cls.count = len(blocks)
        cls.web = folder
        super().setUpClass()

    def show(self, number):
        self.page.goto(f"{self.daemon.url}/{number}.html")

    def test_there_are_seven(self):
        self.assertEqual(self.count, 7)

    def test_readme_draws_a_counter(self):
        self.show(0)
        for _ in range(3):
            self.page.get_by_role("button", name="+").click()
        self.page.get_by_role("button", name="−").click()
        expect(self.page.locator("output")).to_have_text("2")
        self.page.reload()
        expect(self.page.locator("output")).to_have_text("2")

    def test_guide_acts_without_drawing(self):
        said = []
        self.page.on("console", lambda message: message.type == "log" and said.append(message.text))
        with self.page.expect_console_message(lambda message: message.text == "1"):
            self.show(1)
        self.assertEqual(said, ["0", "1"])

    def test_guide_draws_a_modal(self):
        self.show(2)
        self.page.get_by_role("button", name="Home").click()
        self.page.get_by_role("button", name="+").click()
        expect(self.page.get_by_text("Count: 1")).to_be_visible()
        self.page.get_by_role("button", name="Detail").click()
        dialog = self.page.get_by_role("dialog", name="Detail")
        dialog.get_by_role("button", name="Close 1").click()
        expect(dialog).to_have_count(0)

    def test_guide_shows_a_banner(self):
        self.show(3)
        expect(self.page.get_by_role("button", name="increment")).to_be_visible()
        banner = self.page.locator("riblet-banner")
        expect(banner).to_be_hidden()
        self.daemon.kill()
        expect(banner).to_contain_text("Connection lost.")
        for _ in range(3):
            self.page.get_by_role("button", name="increment").click()
        expect(banner).to_contain_text("3 actions are saved.")
        self.daemon.start()
        banner.get_by_role("button", name="Try now").click()
        expect(banner).to_contain_text("Connected again. 3 actions were waiting. Each was done once.")
        expect(banner).to_be_hidden()

    def test_guide_mounts_an_inspector(self):
        self.show(4)
        panel = self.page.get_by_role("complementary", name="Inspector")
        wire = panel.get_by_role("list", name="Messages, newest first")
        expect(wire).to_contain_text("hello")
        self.page.get_by_role("button", name="Increment", exact=True).click()
        expect(wire).to_contain_text(re.compile(r"increment → #1\s*n 1, \d+ ms"))
        panel.get_by_role("button", name="Go offline").click()
        self.page.get_by_role("button", name="Increment", exact=True).click()
        panel.get_by_role("tab", name="Facts").click()
        waiting = panel.locator("dt", has_text="Waiting actions").locator("xpath=following-sibling::dd")
        expect(waiting).to_have_text("1")
        panel.get_by_role("button", name="Go online").click()
        expect(waiting).to_have_text("0")
        panel.get_by_role("button", name="Verify").click()
        expect(panel.get_by_role("status")).to_have_text("Verified: the page and the server have the same document.")
        # The page has no way to begin another session, or to use another transport.
        expect(panel.get_by_role("button", name="New session")).to_have_count(0)
        expect(panel.get_by_role("group", name="Transport")).to_have_count(0)

    def test_inspectors_of_a_page_do_not_clash(self):
        self.show(4)
        self.page.evaluate("""async () => {
          const { mountInspector, LinkControls } = await import("/inspector.js");
          window.second = mountInspector(document.body, { links: new LinkControls(), isOpen: true });
        }""")
        panels = self.page.get_by_role("complementary", name="Inspector")
        expect(panels).to_have_count(2)
        for panel, latency in [(panels.first, "100"), (panels.last, "500")]:
            panel.get_by_role("radio", name=latency, exact=True).check(force=True)
        expect(panels.first.get_by_role("radio", name="100", exact=True)).to_be_checked()
        panels.last.get_by_role("tab", name="Tree").click()
        expect(panels.first.get_by_role("tab", name="Wire")).to_have_attribute("aria-selected", "true")
        ids = self.page.evaluate("[...document.querySelectorAll('.inspector [id]')].map((it) => it.id)")
        self.assertEqual(len(ids), len(set(ids)))
        self.page.evaluate("second.unmount()")
        expect(panels).to_have_count(1)

    def test_guide_binds_a_field(self):
        self.show(5)
        field = self.page.locator("[name=draft]")
        for message in ("Hello", "and more"):
            field.press_sequentially(message)
            field.press("Enter")
            expect(self.page.locator("li").last).to_have_text(message)
        expect(field).to_have_value("")

    def test_guide_sends_a_form(self):
        self.show(6)
        field = self.page.get_by_label("Payment")
        field.fill("1.5")
        self.page.get_by_role("button", name="Pay").click()
        expect(self.page.get_by_role("alert")).to_contain_text("1.5 is no value of Int.")
        expect(field).to_have_value("1.5")
        field.fill("7")
        self.page.get_by_role("button", name="Pay").click()
        expect(self.page.get_by_text("Paid: 7")).to_be_visible()
        expect(field).to_have_value("")
        expect(self.page.get_by_role("alert")).to_have_text("")
        self.page.get_by_role("button", name="Page").click()
        self.page.get_by_role("button", name="Back").click()
        expect(self.page.get_by_text("Taps")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
