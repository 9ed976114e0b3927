"""A network between the page and the server, at its worst."""

import socket
import threading


class Network:
    """Passes on what is said over 127.0.0.1, until it is told to behave otherwise."""

    def __init__(self, port):
        self.server = ("127.0.0.1", port)
        self.swallows = False
        self.swallows_sockets = False
        self.links = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.links.append(Link(self, client))

    def swallow(self):
        """What is said on any connection, now or later, gets nowhere, and nobody is told."""
        self.swallows = True
        for link in self.links:
            link.swallows = True

    def work(self):
        """New connections work again; those from before do not."""
        self.swallows = False

    def close_politely(self):
        """Ends each WebSocket as a proxy does that finds it idle: with 1000, and without a word of the server's."""
        for link in self.links:
            if link.is_socket and not link.is_over:
                link.client.sendall(b"\x88\x02\x03\xe8")
                link.swallows = True

    def cut(self):
        """Ends all connections, and whoever is at the other end hears of it."""
        for link in self.links:
            link.close()

    def close(self):
        self.listener.close()
        for link in self.links:
            link.close()


class Link:
    """A connection of the page's, and the one to the server for it."""

    def __init__(self, network, client):
        self.network = network
        self.client = client
        self.server = None
        self.swallows = network.swallows
        self.is_socket = False
        self.is_over = False
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            first = self.client.recv(65536)
            self.is_socket = first.startswith(b"GET /v1/socket")
            if self.is_socket and self.network.swallows_sockets:
                self.swallows = True
            if not self.swallows:
                self.server = socket.create_connection(self.network.server)
                threading.Thread(target=self.pass_on, args=(self.server, self.client), daemon=True).start()
            self.pass_on(self.client, self.server, first)
        except OSError:
            self.close()

    def pass_on(self, source, target, data=None):
        try:
            data = data or source.recv(65536)
            while data:
                if not self.swallows:
                    target.sendall(data)
                data = source.recv(65536)
        except OSError:
            pass
        # A link that swallows is not heard of when one end goes.
        if source is self.client or not self.swallows:
            self.close()

    def close(self):
        self.is_over = True
        for end in (self.client, self.server):
            if end:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                end.close()
