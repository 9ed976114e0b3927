"""haproxy, as config/haproxy.cfg has it, in front of two daemons that share a state directory. (`BalancerTests` has three nodes of a cluster.)"""

import asyncio
import signal
import unittest

from proxies import Checks, Client, Proxy
from support import is_long, together, tool


class HAProxy(Proxy):
    name = "haproxy.cfg"
    changes: list[tuple[str, str]] = []

    def configure(self):
        (self.directory / "both.pem").write_text(
            (self.directory / "cert.pem").read_text() + (self.directory / "key.pem").read_text())
        first, second = self.servers
        (self.directory / "haproxy.cfg").write_text(self.shipped(
            ("bind :443 ssl crt /etc/ssl/app.example.com.pem", f"bind 127.0.0.1:{self.port} ssl crt {self.directory}/both.pem"),
            ("maxconn 60000", "maxconn 1000"),
            ("server a 10.0.0.1:8080 check\n", f"server a {first} check\n"),
            ("server b 10.0.0.2:8080 check\n", f"server b {second} check\n"),
            ("  server c 10.0.0.3:8080 check\n", ""),
            *self.changes))
        # With a master, whose workers take turns.
        self.command = [tool("haproxy"), "-W", "-db", "-f", self.directory / "haproxy.cfg"]

    def check(self) -> list:
        return [tool("haproxy"), "-c", "-q", "-f", self.directory / "haproxy.cfg"]

    def reload(self):
        self.reload_workers(signal.SIGUSR2)


class HAProxyTest(Checks, unittest.TestCase):
    make_proxy = HAProxy
    count = 2

    def test_server_that_stops_hands_its_clients_over(self):
        site = self.open("--limits-new-sessions-per-minute", "0", "--timeouts-drain-seconds", "5")

        async def check():
            clients = [Client(site) for _ in range(40)]
            for client in clients:
                await client.__aenter__()
                await client.act()
            # Hashing has given both of them some.
            before = [await asyncio.to_thread(self.clients, daemon) for daemon in site.daemons]
            stopping = asyncio.create_task(asyncio.to_thread(site.daemons[0].stop))
            rounds = 0
            while not stopping.done():
                for client in clients:
                    await client.act()
                # A new one, each time: it is let in by whoever is left.
                async with Client(site) as newcomer:
                    await newcomer.act()
                rounds += 1
            await stopping
            for client in clients:
                await client.act()
                await client.come_back()
            counts = [client.snapshot["view"]["nodes"]["1"]["state"]["count"] for client in clients]
            for client in clients:
                await client.__aexit__()
            return before, rounds, counts

        [(before, rounds, counts)] = together(check())
        self.assertEqual(sum(before), 40)
        self.assertGreater(min(before), 0)
        self.assertGreater(rounds, 0)
        self.assertEqual(counts, [rounds + 2] * 40)

    @staticmethod
    def clients(daemon) -> int:
        return int(daemon.ask_admin("/metrics")[1].split('ribserver_connections{transport="websocket"} ')[1].split("\n")[0])


@is_long
class HAProxyProtocolTest(Checks, unittest.TestCase):
    """haproxy says by the PROXY protocol who is there."""

    class make_proxy(HAProxy):
        changes = [("  default-server inter 1s", "  default-server send-proxy-v2 check-send-proxy inter 1s"),
                   ("  http-request set-header X-Forwarded-For %[src]\n", "  http-request del-header X-Forwarded-For\n")]

    count = 2
    settings = ("--proxies-protocol", "required")


if __name__ == "__main__":
    unittest.main()
