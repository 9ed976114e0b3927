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
            page = f'<!doctype html><html lang="en"><title>Sample</title><body><script type="module" src="{number}.js"></script>'
            (folder / f"{number}.html").write_text(page)
        cls.count = len(blocks)
        cls.web = folder
        super().setUpClass()

    def show(self, number):
        self.page.goto(f"{self.daemon.url}/{number}.html")

    def test_there_are_six(self):
        self.assertEqual(self.count, 6)

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

    def test_guide_binds_a_field(self):
        self.show(4)
        field = self.page.locator("[name=draft]")
        for message in ("Hello", "and more"):
            field.press_sequentially(message)
            field.press("Enter")
            expect(self.page.locator("li").last).to_have_text(message)
        expect(field).to_have_value("")

    def test_guide_sends_a_form(self):
        self.show(5)
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
