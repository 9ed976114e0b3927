"""What the drivers of browsers share."""

import os
import subprocess
import time

# How long anything may take, in seconds.
PATIENCE = 120


class Screen:
    """A screen in memory, as only a window on a screen is one that keys are for."""

    def __init__(self):
        # Xvfb takes a free display, and says which.
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], pass_fds=[write],
            stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as said:
            display = said.readline().strip()
        assert display, "Xvfb has ended"
        self.environment = {"DISPLAY": f":{display}"}

    def close(self):
        # By the one signal that nobody can have told it to ignore, as a process that starts tests may.
        self.process.kill()
        self.process.wait()


class Engine:
    """A browser with one page; what a driver says in its own way is the subclass's."""

    # The width that the page's window can have at least.
    narrowest = 320

    def hear_problems(self):
        """Has `problems` say what nobody has caught in the page."""
        raise NotImplementedError

    def wait(self, expression):
        """Waits until an expression is true."""
        deadline = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({expression})"):
            assert time.monotonic() < deadline, f"never true: {expression}"
            # The page has to have the time to become so.
            self.run("new Promise((done) => requestAnimationFrame(done))")

    def click(self, selector):
        """Clicks in the middle of an element."""
        x, y = self.run(f"(() => {{ const it = document.querySelector({selector!r}); it.scrollIntoView({{ block: 'nearest' }}); "
                        "const { left, top, width, height } = it.getBoundingClientRect(); return [left + width / 2, top + height / 2]; })()")
        self.act("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
                             {"type": "pointerUp", "button": 0}])

    def press(self, *keys):
        """Presses keys, one after the other: characters, or the private ones of WebDriver."""
        self.act("key", [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")])
