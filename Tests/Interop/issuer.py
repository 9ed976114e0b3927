"""An issuer of JSON Web Tokens: signs with joserfc what it is told to, and serves what it is told to, right or wrong.

usage: issuer.py DIRECTORY
Prints its two addresses and the certificate of the second, then takes a command a line from its input, as a JSON object, and answers each
with one. It ends with its input. Keys have names, and are made when they are first used: "rsa-1", "rsa1024-1", "p256-1", "p384-1", "p521-1",
"ed25519-1", "secp256k1-1", "secret-1"; the secret is 32 bytes in hexadecimal.
"""
import hmac
import json
import secrets
import ssl
import subprocess
import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry
from joserfc.util import urlsafe_b64encode

directory = Path(sys.argv[1])
warnings.simplefilter("ignore")  # of weak keys and old names, which are what is tested
ALGORITHMS = list(JWSRegistry.algorithms)


# MARK: Keys and tokens

keys = {}


def key(name: str):
    if name not in keys:
        kind = name.split("-")[0]
        make = {
            "rsa": lambda: RSAKey.generate_key(2048),
            "rsa1024": lambda: RSAKey.generate_key(1024),
            "p256": lambda: ECKey.generate_key("P-256"),
            "p384": lambda: ECKey.generate_key("P-384"),
            "p521": lambda: ECKey.generate_key("P-521"),
            "secp256k1": lambda: ECKey.generate_key("secp256k1"),
            "ed25519": lambda: OKPKey.generate_key("Ed25519"),
            "x25519": lambda: OKPKey.generate_key("X25519"),
            "secret": lambda: OctKey.import_key(secrets.token_hex(16)),
        }[kind]
        keys[name] = make()
    return keys[name]


def token(command: dict) -> dict:
    """A token as an issuer makes it."""
    header = {"alg": command["alg"], **command["header"]}
    return {"token": jwt.encode(header, command["claims"], key(command["key"]), algorithms=ALGORITHMS)}


def signed(command: dict) -> dict:
    """A signature for a header and a payload that no library would write. With "secretOf" a public key's PEM is the secret, which joserfc knows
    better than to allow."""
    parts = [urlsafe_b64encode(command[part].encode()) for part in ("header", "payload")]
    found = key(command["key"])
    if command.get("secretOf"):
        signature = hmac.digest(found.as_pem(private=False), b".".join(parts), "sha256")
    else:
        signature = JWSRegistry.algorithms[command["alg"]].sign(b".".join(parts), found)
    return {"token": b".".join([*parts, urlsafe_b64encode(signature)]).decode()}


def public(command: dict) -> dict:
    """A key as a set has it: what joserfc writes, with the members that the command has; those that are null go."""
    found = key(command["key"])
    members = found.as_dict(private=found.key_type == "oct" or command.get("private", False))
    members.pop("kid", None)
    return {name: value for name, value in {**members, **command["members"]}.items() if value is not None}


def secret(command: dict) -> dict:
    return {"secret": key(command["key"]).raw_value.decode()}


# MARK: The server

pages, requests, held = {}, {}, {}
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with lock:
            requests[self.path] = requests.get(self.path, 0) + 1
            page = pages.get(self.path, {"status": 404, "body": ""})
            gate = held.setdefault(self.path, threading.Event()) if page.get("holds") else None
        if gate:
            gate.wait()
        body = page["body"].encode() + b" " * page.get("fill", 0)
        try:
            self.send_response(page.get("status", 200))
            for name, value in page.get("headers", {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that does not like the certificate


def serve(command: dict) -> dict:
    """What is at a path from now on: a status, a body and fields; with "holds" not before "release"."""
    with lock:
        pages[command["path"]] = command
    return {}


def release(command: dict) -> dict:
    with lock:
        held.pop(command["path"], threading.Event()).set()
        pages[command["path"]].pop("holds", None)
    return {}


def count(command: dict) -> dict:
    with lock:
        return {"count": requests.get(command["path"], 0)}


def start(context=None) -> int:
    server = Server(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def make_certificate() -> ssl.SSLContext:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
         "-keyout", directory / "key.pem", "-out", directory / "cert.pem", "-subj", "/CN=issuer",
         "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "cert.pem", directory / "key.pem")
    return context


def say(answer: dict) -> None:
    print(json.dumps(answer), flush=True)


say({"http": f"http://127.0.0.1:{start()}", "https": f"https://127.0.0.1:{start(make_certificate())}",
     "certificate": str(directory / "cert.pem")})
COMMANDS = {f.__name__: f for f in (token, signed, public, secret, serve, release, count)}
for line in sys.stdin:
    command = json.loads(line)
    try:
        say(COMMANDS[command["do"]](command))
    except Exception as error:  # the test is told, and says so
        say({"error": f"{command['do']}: {error!r}"})
