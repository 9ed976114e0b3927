"""Sessions that act at fixed times, and how long they wait for their patches: what scripts/hostile and scripts/inspector-load measure."""
import gc, selectors, socket, struct, time

UPGRADE = (b"GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
           b"Sec-WebSocket-Protocol: riblet.v1.json\r\n\r\n")


def frame(text):
    """A client's text frame; masked with zeros, which changes nothing."""
    data = text.encode()
    if len(data) < 126:
        head = struct.pack("!BB", 0x81, 0x80 | len(data))
    else:
        head = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
    return head + bytes(4) + data


def act(number):
    return frame('{"t":"act","n":%d,"to":1,"a":{"increment":{}}}' % number)


def connect(port):
    peer = socket.create_connection(("127.0.0.1", port), timeout=10)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def receive_exactly(peer, count):
    data = b""
    while len(data) < count:
        more = peer.recv(count - len(data))
        if not more:
            raise EOFError("the server closed")
        data += more
    return data


def receive_frame(peer):
    """The payload of the server's next frame."""
    head = receive_exactly(peer, 2)
    length = head[1] & 0x7F
    if length == 126:
        length = struct.unpack("!H", receive_exactly(peer, 2))[0]
    elif length == 127:
        length = struct.unpack("!Q", receive_exactly(peer, 8))[0]
    return receive_exactly(peer, length)


def upgraded(port):
    peer = connect(port)
    peer.sendall(UPGRADE)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += receive_exactly(peer, 1)
    if not head.startswith(b"HTTP/1.1 101"):
        raise EOFError("no upgrade: %r" % head[:60])
    return peer


class GoodSessions:
    """Each acts ten times a second, at fixed times, whatever becomes of the action before."""

    RATE = 10

    def __init__(self, port, count):
        self.peers = []
        for _ in range(count):
            peer = upgraded(port)
            peer.sendall(frame('{"t":"hello","app":"counter"}'))
            receive_frame(peer), receive_frame(peer)
            peer.setblocking(False)
            self.peers.append({"socket": peer, "n": 0, "data": b"", "due": []})
        self.lost = 0

    def run(self, seconds):
        """How long each action waited for its patch, in ms, counted from when it was due."""
        gc.disable()
        selector = selectors.DefaultSelector()
        for peer in self.peers:
            selector.register(peer["socket"], selectors.EVENT_READ, peer)
        waits = []
        begin = time.monotonic() + 0.1
        gap = 1 / (self.RATE * max(len(self.peers), 1))
        total = int(seconds / gap)
        sent = 0
        while sent < total or any(peer["due"] for peer in self.peers):
            now = time.monotonic()
            if now > begin + seconds + 10:
                break
            while sent < total and begin + sent * gap <= now:
                peer = self.peers[sent % len(self.peers)]
                peer["n"] += 1
                peer["due"].append(begin + sent * gap)
                peer["socket"].send(act(peer["n"]))
                sent += 1
            pause = max(begin + sent * gap - time.monotonic(), 0) if sent < total else 0.1
            for key, _ in selector.select(pause):
                self.receive(key.data, waits)
        self.lost += sum(1 for peer in self.peers if peer["due"])
        selector.close()
        gc.enable()
        return sorted(waits)

    @staticmethod
    def receive(peer, waits):
        data = peer["data"] + peer["socket"].recv(65536)
        while len(data) >= 2:
            length, start = data[1] & 0x7F, 2
            if length == 126:
                if len(data) < 4:
                    break
                length, start = struct.unpack("!H", data[2:4])[0], 4
            if len(data) < start + length:
                break
            if data[0] == 0x89:
                peer["socket"].send(struct.pack("!BB", 0x8A, 0x80 | length) + bytes(4) + data[start:start + length])
            elif data[start:].startswith(b'{"t":"patch"'):
                waits.append((time.monotonic() - peer["due"].pop(0)) * 1000)
            data = data[start + length:]
        peer["data"] = data


def percentile(waits, share):
    return waits[min(int(len(waits) * share), len(waits) - 1)]
