"""Pages of other sites: one that is listed uses the server as its own page does, and any other one gets nothing."""

import functools
import http.server
import pathlib
import threading
import unittest

from support import BrowserTest

# What a page does with a server: says how its WebSocket ended, and what each request was answered.
USING = """
  async (server) => {
    const said = {};
    said.socket = await new Promise((done) => {
      const socket = new WebSocket(server.replace("http", "ws") + "/v1/socket", "riblet.v1.json");
      socket.onopen = () => socket.send(JSON.stringify({ t: "hello", app: "counter" }));
      socket.onmessage = ({ data }) => { done(JSON.parse(data).t); socket.close(); };
      socket.onclose = ({ code }) => done(code);
    });
    const ask = async (path, options) => {
      try {
        return await fetch(server + path, options);
      } catch (error) {
        return { status: error.name, headers: new Headers(), json: () => ({}) };
      }
    };
    const json = { "Content-Type": "application/json" };
    const made = await ask("/v1/sessions", { method: "POST", headers: json, body: '{"app":"counter"}' });
    said.made = made.status;
    // What needs no leave of the browser's, as any form of any page.
    said.simple = (await ask("/v1/sessions", { method: "POST", body: '{"app":"counter"}' })).status;
    said.blind = (await ask("/v1/sessions", { method: "POST", mode: "no-cors", body: '{"app":"counter"}' })).type;
    said.location = made.headers.get("Location");
    const { sid, token } = await made.json();
    const session = `/v1/sessions/${sid}`;
    const authorization = { "Riblet-Token": token };
    said.unauthorized = (await ask(`${session}/view`)).status;
    const acted = await ask(`${session}/actions`, {
      method: "POST", headers: { ...json, ...authorization, "Idempotency-Key": '"1"' }, body: '{"to":"","a":"increment"}',
    });
    said.acted = acted.status;
    const view = await ask(`${session}/view`, { headers: authorization });
    said.tag = view.headers.get("ETag");
    said.count = (await view.json()).nodes?.[1].state.count;
    const events = await ask(`${session}/events`, { headers: { ...authorization, "Last-Event-ID": said.tag ?? "" } });
    if (events.body) {
      const reader = events.body.pipeThrough(new TextDecoderStream()).getReader();
      said.events = (await reader.read()).value.startsWith('data: {"t":"welcome"');
      await reader.cancel();
    }
    said.ended = (await ask(session, { method: "DELETE", headers: authorization })).status;
    said.nothing = (await ask("/v1/nowhere", { method: "POST", headers: json, body: "{}" })).status;
    return said;
  }
"""

# The browser's own client, from the server, on a page of another site.
CLIENT = """
  async ([server, transport]) => {
    const riblet = await import(server + "/riblet.js");
    const session = riblet.connect(server, { app: "counter", transports: [riblet[transport]] });
    const { status } = await session.act("", "increment");
    const { count } = session.node().state;
    session.end();
    return `${status} ${count}`;
  }
"""


class Page(http.server.BaseHTTPRequestHandler):
    """An empty page, of whatever name it is asked by."""

    def do_GET(self):
        body = b"<!doctype html><title>Another site</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class OriginTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        cls.site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        cls.addClassCleanup(cls.site.server_close)
        cls.addClassCleanup(cls.site.shutdown)
        threading.Thread(target=functools.partial(cls.site.serve_forever, 0.05), daemon=True).start()
        # One site by two names, of which one is listed.
        cls.listed, cls.other = (f"http://{name}:{cls.site.server_port}" for name in ("localhost", "127.0.0.1"))
        cls.arguments = ("--limits-actions-per-second", "0", "--origins", cls.listed)
        super().setUpClass()

    def note(self, message):
        # The browser says itself whom it keeps from what.
        if "CORS" not in message.text:
            super().note(message)

    def use(self, origin):
        self.page.goto(origin)
        return self.page.evaluate(USING, self.daemon.url)

    def test_a_listed_page_uses_the_server_as_its_own(self):
        said = self.use(self.listed)
        tag = said.pop("tag")
        self.assertRegex(tag, r'^"[0-9a-f]+\.2"$')
        self.assertRegex(said.pop("location"), r"^/v1/sessions/[0-9a-f]{32}$")
        self.assertEqual(said, {
            "socket": "welcome", "made": 201, "simple": 415, "blind": "opaque", "unauthorized": 401, "acted": 200, "count": 1,
            "events": True, "ended": 204, "nothing": 404,
        })

    def test_the_browsers_client_runs_on_a_listed_page(self):
        self.page.goto(self.listed)
        for transport in ("webSocket", "eventStream"):
            self.assertEqual(self.page.evaluate(CLIENT, [self.daemon.url, transport]), "applied 1", transport)

    def test_any_other_page_gets_nothing(self):
        said = self.use(self.other)
        # A request without CORS is sent, and told nothing of its answer: that has begun no session either.
        self.assertEqual(said.pop("blind"), "opaque")
        self.assertEqual({key: value for key, value in said.items() if value is not None}, {
            "socket": 1006, "made": "TypeError", "simple": "TypeError", "unauthorized": "TypeError", "acted": "TypeError",
            "ended": "TypeError", "nothing": "TypeError",
        })
        log = pathlib.Path(self.daemon.log).read_text(encoding="utf-8")
        self.assertIn("An origin was refused.", log)
        self.assertIn(f"set publicURL to {self.other}, or add it to origins", log)

    def test_a_page_without_origin_gets_nothing(self):
        self.page.goto(self.listed)
        socket = """
          (server) => new Promise((done) => {
            const frame = document.createElement("iframe");
            frame.sandbox = "allow-scripts";
            frame.srcdoc = `<script>
              const socket = new WebSocket("${server.replace("http", "ws")}/v1/socket", "riblet.v1.json");
              socket.onopen = () => parent.postMessage("open", "*");
              socket.onclose = ({ code }) => parent.postMessage(code, "*");
            </script>`;
            addEventListener("message", ({ data }) => done(data), { once: true });
            document.body.append(frame);
          })
        """
        self.assertEqual(self.page.evaluate(socket, self.daemon.url), 1006)


if __name__ == "__main__":
    unittest.main()
