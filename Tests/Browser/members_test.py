"""The members app: who may do what, with tokens of an issuer for development."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

import axe
from support import BrowserTest, expect


class Issuer:
    """`ribctl dev-issuer`, beside the ribd that is tested."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="rib-issuer-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        ribctl = pathlib.Path(os.environ["RIBD"]).parent / "ribctl"
        self.process = subprocess.Popen(
            [ribctl, "dev-issuer", "serve", "--port", str(port), "--state-dir", self.directory],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert self.url in line, f"The issuer is not at {self.url}: {line!r}"

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class MembersTest(BrowserTest):
    # The page as the program has it: files of a directory may not connect to an issuer.
    web = None

    @classmethod
    def setUpClass(cls):
        cls.issuer = Issuer()
        cls.addClassCleanup(cls.issuer.close)
        cls.arguments = (
            *BrowserTest.arguments, "--auth-mode", "jwt", "--auth-issuer", cls.issuer.url, "--auth-audience", "ribd",
            "--auth-keys-url", "discover", "--auth-required", "false")
        super().setUpClass()

    def visit(self, page=None, context=None):
        """Opens the app as nobody."""
        page = page or (self.new_page(context) if context else self.page)
        page.goto(f"{self.daemon.url}/#/members")
        expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
        return page

    def sign_in(self, page, name, roles="", seconds=300):
        page.get_by_label("Name").fill(name)
        page.get_by_label("Roles").fill(roles)
        page.get_by_label("Issuer", exact=True).fill(self.issuer.url)
        page.get_by_label("Seconds").fill(str(seconds))
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("heading", name=f"Signed in as {name}")).to_be_visible()
        return page

    def other(self):
        """A page of another browser."""
        context = self.new_context()
        self.addCleanup(context.close)
        return self.visit(context=context)

    def post(self, page, text):
        page.get_by_label("Notice", exact=True).fill(text)
        page.get_by_role("button", name="Post", exact=True).click()

    def test_writer_posts_guest_reads_boss_erases(self):
        writer = self.sign_in(self.visit(), "ada", "writer, clerk")
        expect(writer.get_by_role("list", name="Roles").get_by_role("listitem")).to_have_text(["clerk", "writer"])
        self.post(writer, "The well is dry")
        expect(writer.get_by_label("Notice", exact=True)).to_have_value("")
        guest = self.sign_in(self.other(), "eve")
        for page in [writer, guest]:
            expect(page.get_by_role("list", name="Notices")).to_contain_text("ada The well is dry")
            expect(page.get_by_role("button", name="Erase The well is dry", exact=True)).to_have_count(0)
        expect(guest.get_by_role("button", name="Post", exact=True)).to_have_count(0)
        boss = self.sign_in(self.other(), "bob", "boss")
        boss.get_by_role("button", name="Erase The well is dry", exact=True).click()
        for page in [writer, guest, boss]:
            expect(page.get_by_text("The well is dry")).to_have_count(0)

    def test_what_one_person_has_done_waits_while_another_uses_the_tab(self):
        page = self.sign_in(self.visit(), "Ada", "writer")
        page.get_by_role("button", name="Go offline").click()
        page.get_by_label("Notice", exact=True).fill("Ada was offline")
        page.get_by_role("button", name="Post", exact=True).click()
        expect(page.locator("#status-pending")).to_have_text("1 waiting")
        for name, roles in [("Bob", "writer"), ("Ada", "writer"), ("Bob", "writer")]:
            # As if the token had ended: the page asks who is there.
            page.evaluate("sessionStorage.removeItem('riblet:showcase:person')")
            page.reload()
            expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
            self.sign_in(page, name, roles)
            notices = page.get_by_role("list", name="Notices")
            if name == "Ada":
                expect(notices).to_contain_text("Ada was offline")
                expect(page.locator("#status-pending")).to_have_text("0 waiting")
        expect(notices.locator("li").filter(has_text="Ada was offline")).to_contain_text("Ada")

    def test_what_has_no_button_is_forbidden(self):
        """An act that the page would not send is refused by the server."""
        guest = self.sign_in(self.visit(), "eve")
        said = guest.evaluate(FORGE, [self.issuer.url, ["eve", []], {"postTapped": {"text": "Forged"}}])
        self.assertEqual(said, "refused forbidden")
        said = guest.evaluate(FORGE, [self.issuer.url, ["ada", ["writer"]], {"eraseTapped": {"id": 1}}])
        self.assertEqual(said, "refused forbidden")
        said = guest.evaluate(FORGE, [self.issuer.url, ["ada", ["writer"]], {"postTapped": {"text": "Real"}}])
        self.assertEqual(said, "applied")
        expect(guest.get_by_role("list", name="Notices")).to_contain_text("Real")
        expect(guest.get_by_text("Forged")).to_have_count(0)

    def test_sign_out_everywhere(self):
        pages = [self.sign_in(self.visit(), "grace", "writer"), self.sign_in(self.other(), "grace", "writer")]
        guest = self.sign_in(self.other(), "eve")
        pages[0].get_by_role("button", name="Sign out everywhere", exact=True).click()
        for page in pages:
            expect(page.locator("#status")).to_have_attribute("data-status", "signedOut")
            expect(page.get_by_role("heading", name="The person behind this client was signed out")).to_be_visible()
            expect(page.get_by_label("Name")).to_have_value("grace")
        expect(guest.locator("#status")).to_have_attribute("data-status", "live")
        # A reload does not sign anybody in.
        pages[1].reload()
        expect(pages[1].get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
        for page in pages:
            self.sign_in(page, "grace", "writer")
            self.post(page, "Back again")
            expect(page.get_by_role("list", name="Notices")).to_contain_text("grace Back again")

    def test_token_is_renewed_while_the_page_works(self):
        renewals = []
        self.page.on("websocket", lambda socket: socket.on(
            "framesent", lambda frame: renewals.append(frame) if frame.startswith('{"t":"auth"') else None))
        page = self.sign_in(self.visit(), "lise", "writer", seconds=5)
        page.evaluate(
            """() => {
              window.statuses = [];
              const pill = document.querySelector("#status");
              new MutationObserver(() => statuses.push(pill.dataset.status)).observe(pill, { attributeFilter: ["data-status"] });
            }""")
        count = 0
        # A page renews no token before ten seconds are over: the first one has ended by then, which the server bears with for a while.
        while len(renewals) < 2:
            count += 1
            self.assertLess(count, 200, "no token is renewed")
            self.post(page, f"Notice {count}.")
            expect(page.get_by_role("list", name="Notices")).to_contain_text(f"Notice {count}.")
            page.wait_for_timeout(250)
        self.post(page, "The last one")
        expect(page.get_by_role("list", name="Notices")).to_contain_text("The last one")
        expect(page.locator("#status-pending")).to_have_text("0 waiting")
        self.assertEqual(page.evaluate("statuses.filter((it) => it !== 'live')"), [])

    def test_reload_goes_on(self):
        page = self.sign_in(self.visit(), "ada", "writer")
        page.reload()
        expect(page.get_by_role("heading", name="Signed in as ada")).to_be_visible()
        expect(page.locator("#status-words")).to_contain_text("resumed")

    def test_no_issuer_is_said_with_how_to_start_one(self):
        page = self.visit()
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Issuer", exact=True).fill("http://127.0.0.1:1")
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("The issuer at http://127.0.0.1:1 does not answer.")
        expect(page.get_by_text("ribctl dev-issuer")).to_be_visible()

    def test_keyboard_alone(self):
        page = self.visit()
        page.get_by_label("Name").focus()
        page.keyboard.type("ada")
        page.keyboard.press("Tab")
        page.keyboard.type("writer")
        page.keyboard.press("Tab")
        page.keyboard.type(self.issuer.url)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Signed in as ada")).to_be_visible()

    def test_looks(self):
        """axe finds nothing, and nothing is wider than the window, in both themes and widths, signed in and not."""
        for scheme in ["light", "dark"]:
            for width, height in [(320, 640), (1280, 900)]:
                context = self.new_context(
                    viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
                page = self.visit(context=context)
                page.get_by_text("How to start an issuer").click()
                self.look(page, f"members-out-{scheme}-{width}")
                self.sign_in(page, "ada", "boss, writer")
                self.post(page, "A notice that is long enough for more than one line on a narrow screen")
                expect(page.get_by_role("list", name="Notices")).to_contain_text("narrow screen")
                self.look(page, f"members-{scheme}-{width}")
                context.close()

    def look(self, page, name):
        self.keep_picture(page, name)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, name)
        self.assertEqual(axe.violations(page.evaluate), [], name)


# A client that does what it likes, as a person of the issuer's.
FORGE = """
  async ([issuer, [subject, roles], action]) => {
    const { connect } = await import("/riblet.js");
    const desk = connect(issuer, { app: "issuer" });
    await desk.act("", { sign: { subject, roles } });
    const { token } = desk.node().state;
    desk.end();
    const session = connect(location.origin, { app: "members", auth: () => token });
    const { status, nack } = await session.act("", action);
    session.end();
    return [status, nack?.code].filter(Boolean).join(" ");
  }
"""


class NoIssuerTest(BrowserTest):
    """A server that does not want to know who anybody is."""

    web = None

    def test_server_without_an_issuer_is_said_with_how_to_start_one(self):
        issuer = Issuer()
        self.addCleanup(issuer.close)
        self.page.goto(f"{self.daemon.url}/#/members")
        self.page.get_by_label("Name").fill("ada")
        self.page.get_by_label("Issuer", exact=True).fill(issuer.url)
        self.page.get_by_role("button", name="Sign in", exact=True).click()
        expect(self.page.get_by_role("alert")).to_contain_text("The server does not accept this token.")
        expect(self.page.get_by_text("ribd --auth-mode jwt")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
