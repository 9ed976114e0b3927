"""ribd behind a real nginx with TLS, as config/nginx.conf has it.

usage: nginx.py NGINX CONFIG PORT DIRECTORY
The daemon at PORT is to have the public URL https://app.example.com, and to let twenty sessions a minute be begun from one
address. Only addresses, the port and the certificate in the configuration are replaced. Prints how long an event took on its way.
"""
import asyncio
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

import websockets

nginx, config, ribd_port, directory = sys.argv[1], Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
HOST = "app.example.com"
ORIGIN = f"https://{HOST}"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


PORT = free_port()


def make_certificate() -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
         "-keyout", directory / "key.pem", "-out", directory / "cert.pem", "-subj", f"/CN={HOST}",
         "-addext", f"subjectAltName=DNS:{HOST}"],
        check=True, capture_output=True)


def write_config() -> Path:
    site = config.read_text()
    for old, new in [
        ("server 127.0.0.1:8080;", f"server 127.0.0.1:{ribd_port};"),
        ("listen 443 ssl", f"listen 127.0.0.1:{PORT} ssl"),
        ("/etc/ssl/app.example.com/fullchain.pem", str(directory / "cert.pem")),
        ("/etc/ssl/app.example.com/privkey.pem", str(directory / "key.pem")),
    ]:
        assert site.count(old) == 1, f"{config} has {old} {site.count(old)} times"
        site = site.replace(old, new)
    (directory / "ribd.conf").write_text(site)
    temporary = " ".join(f"{name}_temp_path {directory}/{name};" for name in
                         ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    main = directory / "nginx.conf"
    main.write_text(
        f"daemon off; worker_processes 2; worker_shutdown_timeout 1h; pid {directory}/nginx.pid;"
        f" error_log {directory}/error.log; events {{ worker_connections 1024; }}"
        f" http {{ access_log off; {temporary} include {directory}/ribd.conf; }}\n")
    return main


def context() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=directory / "cert.pem")


class Connection(http.client.HTTPSConnection):
    """To nginx on this machine, whatever the name says."""

    def __init__(self):
        super().__init__(HOST, PORT, context=context(), timeout=300)

    def connect(self):
        raw = socket.create_connection(("127.0.0.1", PORT), self.timeout)
        self.sock = context().wrap_socket(raw, server_hostname=HOST)


def ask(method: str, path: str, body=None, connection=None, **fields):
    connection = connection or Connection()
    # With the name alone, as a browser sends it for the scheme's own port.
    headers = {"Host": HOST, "Content-Type": "application/json"} | {n.replace("_", "-"): v for n, v in fields.items()}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    return connection.getresponse()


def connect(origin: str = ORIGIN):
    return websockets.connect(
        f"wss://{HOST}/v1/socket", host="127.0.0.1", port=PORT, ssl=context(), origin=origin,
        subprotocols=["riblet.v1.json"], ping_interval=None)


async def begin(socket) -> None:
    await socket.send(json.dumps({"t": "hello", "app": "counter"}))
    welcome = json.loads(await socket.recv())
    assert welcome["t"] == "welcome", welcome
    assert json.loads(await socket.recv())["t"] == "snap"


async def act(socket, n: int) -> None:
    await socket.send(json.dumps({"t": "act", "n": n, "to": 1, "a": "increment"}))
    patch = json.loads(await socket.recv())
    assert patch["t"] == "patch" and patch["n"] == n, patch


async def check_sockets(server: subprocess.Popen) -> None:
    try:
        async with connect("https://evil.example"):
            sys.exit("a page of another origin was let in")
    except websockets.InvalidStatus as refused:
        assert refused.response.status_code == 403, refused
    sockets = [await connect() for _ in range(10)]
    for socket in sockets:
        await begin(socket)
        await act(socket, 1)
    # Whoever is connected stays so when nginx reads its configuration anew.
    workers = children(server.pid)
    server.send_signal(signal.SIGHUP)
    while not children(server.pid) - workers:
        await asyncio.sleep(0.02)
    for socket in sockets:
        await act(socket, 2)
        await socket.close()


def children(pid: int) -> set[str]:
    return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def check_events() -> float:
    made = ask("POST", "/v1/sessions", {"app": "counter"}, Origin=ORIGIN)
    assert made.status == 201, (made.status, made.read())
    assert made.headers["Strict-Transport-Security"]
    welcome = json.load(made)
    session, token = f"/v1/sessions/{welcome['sid']}", welcome['token']
    stream = ask("GET", f"{session}/events", Riblet_Token=token)
    assert stream.status == 200 and stream.headers["Content-Type"] == "text/event-stream", stream.status
    data = lambda: next(line for line in iter(stream.readline, b"") if line.startswith(b"data: "))
    assert b'"t":"welcome"' in data() and b'"t":"snap"' in data()
    connection, longest = Connection(), 0.0
    for n in range(1, 21):
        start = time.monotonic()
        done = ask("POST", f"{session}/actions", {"to": "", "a": "increment"}, connection, Riblet_Token=token,
                   **{"Idempotency_Key": f'"{n}"'})
        # It has come, though the stream goes on: nobody on the way has kept it back.
        assert b'"t":"patch"' in data()
        longest = max(longest, time.monotonic() - start)
        assert done.status == 200 and json.load(done)["n"] == n
    stream.close()
    return longest


def check_forged_addresses() -> None:
    statuses = [
        ask("POST", "/v1/sessions", {"app": "counter"}, X_Forwarded_For=f"198.51.100.{n}", Forwarded=f"for=198.51.100.{n}",
            X_Forwarded_Proto="http").status
        for n in range(40)
    ]
    assert set(statuses) == {201, 429} and statuses.count(201) < 30, statuses


def check_http2() -> None:
    said = subprocess.run(
        ["curl", "-s", "-o", os.devnull, "-w", "%{http_version} %{http_code}", "--cacert", directory / "cert.pem",
         "--resolve", f"{HOST}:{PORT}:127.0.0.1", "-H", f"Host: {HOST}", f"https://{HOST}:{PORT}/"],
        check=True, capture_output=True, text=True).stdout
    assert said == "2 200", said


def main() -> None:
    make_certificate()
    server_config = write_config()
    subprocess.run([nginx, "-t", "-q", "-c", server_config, "-e", directory / "error.log"], check=True)
    server = subprocess.Popen([nginx, "-c", server_config, "-e", directory / "error.log"])
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", PORT)).close()
                break
            except ConnectionRefusedError:
                assert server.poll() is None, (directory / "error.log").read_text()
                time.sleep(0.02)
        longest = check_events()
        check_http2()
        asyncio.run(check_sockets(server))
        check_forged_addresses()
        print(f"events {longest * 1000:.1f} ms at most")
    finally:
        server.terminate()
        server.wait()


main()
