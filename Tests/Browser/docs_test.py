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
        folder = pathlib.Path(tempfile.mkdtemp(prefix="rib-docs-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        for name in ["riblet*.js", "render*.js", "field*.js", "generic.js"]:
            for module in REPOSITORY.glob(f"web/{name}"):
                shutil.copy(module, folder)
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

    def test_there_are_five(self):
        self.assertEqual(self.count, 5)

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

    def test_guide_binds_a_field(self):
        self.show(3)
        field = self.page.locator("[name=draft]")
        for message in ("Hello", "and more"):
            field.press_sequentially(message)
            field.press("Enter")
            expect(self.page.locator("li").last).to_have_text(message)
        expect(field).to_have_value("")

    def test_guide_sends_a_form(self):
        self.show(4)
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
