// The link as the inspector makes it worse: later, or none.

/**
 * What the inspector does to the link. Events: "change" of the delay or of whether there is a link, "cut" when all connections are to end, and
 * "travel" with `{direction, duration}` when a message sets out.
 */
export class LinkControls extends EventTarget {
  #delay = 0;
  /** Whether there is a link at all. */
  isOffline = false;
  /** The name of the transport that was used last. */
  transport = "";

  /** Milliseconds that a message takes, each way. */
  get delay() {
    return this.#delay;
  }

  set delay(milliseconds) {
    this.#delay = milliseconds;
    this.dispatchEvent(new Event("change"));
  }

  /** Ends the link, and refuses new ones until `goOnline()`. */
  goOffline() {
    this.isOffline = true;
    this.dispatchEvent(new Event("cut"));
    this.dispatchEvent(new Event("change"));
  }

  /** Sessions come back at once when the browser says that it is online, instead of when they would try again. */
  goOnline() {
    this.isOffline = false;
    globalThis.dispatchEvent(new Event("online"));
    this.dispatchEvent(new Event("change"));
  }

  travels(direction) {
    const detail = { direction, duration: this.delay };
    this.dispatchEvent(Object.assign(new Event("travel"), { detail }));
  }
}

/** Runs functions after the present delay, in the order in which they came, also if the delay becomes shorter. */
function delayLine(controls) {
  const waiting = [];
  let timer;
  const run = () => {
    timer = undefined;
    while (waiting.length > 0 && waiting[0].due <= performance.now()) waiting.shift().work();
    if (waiting.length > 0 && timer === undefined) timer = setTimeout(run, waiting[0].due - performance.now());
  };
  return {
    push(work) {
      if (waiting.length === 0 && controls.delay === 0) return work();
      waiting.push({ work, due: performance.now() + controls.delay });
      timer ??= setTimeout(run, controls.delay);
    },
    clear() {
      waiting.length = 0;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/**
 * A transport that takes as long as the controls say, and is cut when they say so.
 *
 * @param {string} name
 * @param {import("./riblet.js").Transport} transport
 * @param {LinkControls} controls
 * @returns {import("./riblet.js").Transport}
 */
export function throttled(name, transport, controls) {
  return (url, hello, on) => {
    const up = delayLine(controls);
    const down = delayLine(controls);
    let link;
    let isOver = false;
    const end = (code, reason) => {
      if (isOver) return;
      isOver = true;
      controls.removeEventListener("cut", cut);
      up.clear();
      down.clear();
      on.close(code, reason);
    };
    const cut = () => {
      link?.close();
      end(1006, "The inspector has cut the link.");
    };
    const begin = () => {
      controls.transport = name;
      link = transport(url, hello, {
        open: () => down.push(() => on.open()),
        message(text) {
          controls.travels("in");
          down.push(() => on.message(text));
        },
        close: (code, reason) => down.push(() => end(code, reason)),
      });
    };
    if (controls.isOffline) {
      setTimeout(cut);
    } else {
      controls.addEventListener("cut", cut);
      controls.travels("out");
      up.push(begin);
    }
    return {
      send(text) {
        // What this transport cannot do it says at once, and not when the message would have arrived.
        if (name === "SSE" && /^\{"t":"(check|share)"/.test(text)) return link.send(text);
        controls.travels("out");
        up.push(() => link.send(text));
      },
      close(code) {
        controls.removeEventListener("cut", cut);
        up.clear();
        if (link) link.close(code);
        else end(1006, "");
      },
    };
  };
}
