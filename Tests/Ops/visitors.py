"""Clients that find out whether a server is there all the time."""

import json
import threading
import urllib.request

from support import PATIENCE, wait_until


class Visitors:
    """Clients that connect for one question each, again and again, and note each that is not answered."""

    def __init__(self, url: str):
        self.url, self.failures, self.count, self.is_over = url, [], 0, threading.Event()
        self.threads = [threading.Thread(target=self.visit) for _ in range(4)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def visit(self):
        # The pace of a visitor is a hundred questions a second.
        while not self.is_over.wait(0.01):
            try:
                with urllib.request.urlopen(self.url + "/readyz", timeout=PATIENCE) as answer:
                    assert answer.status == 200
            except OSError as error:
                self.failures.append(repr(error))
            self.count += 1


class Session:
    """A session, by requests, each of which may come to another process; `click` and `count` are for the counter."""

    def __init__(self, url: str, app: str = "counter"):
        self.path, self.headers, self.clicks = url + "/v1/sessions", {}, 0
        made = self.ask("POST", "", json.dumps({"app": app}))
        self.path += "/" + made["sid"]
        self.headers["Riblet-Token"] = made["token"]

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> dict:
        request = urllib.request.Request(
            self.path + path, body and body.encode(), {**self.headers, **headers}, method=method)

        def answer() -> dict:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)

        # A process that has lost the session to the other one, or is about to, says 503: the same is asked again.
        return wait_until(answer, f"an answer to {method} {path}")

    def click(self):
        self.clicks += 1
        self.ask("POST", "/actions", '{"to":"","a":"increment"}', **{"Idempotency-Key": f'"{self.clicks}"'})

    def count(self) -> int:
        view = self.ask("GET", "/view")
        return view["nodes"][str(view["root"])]["state"]["count"]
