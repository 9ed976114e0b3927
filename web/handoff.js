// Hands a session on: a link, and a QR code of it, with which somebody else joins, once, within ten minutes.

import { linkOf } from "./second-window.js";

const SVG = "http://www.w3.org/2000/svg";
const QUIET_ZONE = 4;

/** A text as a QR code; what draws it is loaded with the first. */
async function code(text) {
  const { default: qrcode } = await import("./vendor/qrcode.js");
  const matrix = qrcode(0, "L");
  matrix.addData(text);
  matrix.make();
  const count = matrix.getModuleCount();
  let path = "";
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < count; column++) {
      if (matrix.isDark(row, column)) path += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h1v1h-1z`;
    }
  }
  const size = count + 2 * QUIET_ZONE;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "QR code of the link");
  const modules = document.createElementNS(SVG, "path");
  modules.setAttribute("d", path);
  modules.setAttribute("shape-rendering", "crispEdges");
  svg.append(modules);
  return svg;
}

/** Whether other devices cannot open what this page opens. */
const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

const localHint = `Only this computer reaches ${location.hostname}. To use a phone, start the server with make run ARGS=--lan, and open the address that it prints.`;

function time(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * Brings the dialog to life.
 *
 * @param {() => {session: import("./riblet.js").Session, app: string}} current the session to hand on.
 * @returns {{close(): void}}
 */
export function handoff(current) {
  const $ = (id) => document.getElementById(id);
  const dialog = $("handoff");
  const hint = $("handoff-hint");
  const link = $("handoff-link");
  const scopes = document.getElementsByName("scope");
  let timer;
  let made = 0;
  /** The session of the link that is under way, and what its holder may do. */
  let asked;

  const stop = () => clearInterval(timer);

  const clear = (text) => {
    stop();
    $("handoff-code").replaceChildren();
    link.value = "";
    $("handoff-copy").disabled = true;
    hint.textContent = text;
    $("handoff-new").textContent = "Make the link";
  };

  const countDown = (expires) => {
    const end = Date.now() + expires;
    const clock = Object.assign(document.createElement("span"), { className: "handoff-clock" });
    // The time that is left is not read out each second: what is announced is said once.
    clock.setAttribute("aria-hidden", "true");
    hint.replaceChildren("The link works once, for ten minutes. ", clock);
    const tick = () => {
      const left = Math.round((end - Date.now()) / 1000);
      if (left <= 0) return clear("The link has expired. Make another link.");
      clock.textContent = `${time(left)} left`;
    };
    tick();
    timer = setInterval(tick, 1000);
  };

  const chosen = () => [...scopes].find((input) => input.checked).value;

  const make = async () => {
    const { session, app } = current();
    const scope = chosen();
    // Who presses twice wants one link.
    if (asked?.session === session && asked.scope === scope) return;
    asked = { session, scope };
    const number = ++made;
    clear("One moment…");
    try {
      const { token, expires } = await session.share(scope);
      // An earlier answer may come last: it is for a choice that nobody has made any more.
      if (number !== made || !dialog.open) return;
      const url = linkOf(app, token);
      link.value = url;
      $("handoff-new").textContent = "Make another";
      $("handoff-copy").disabled = false;
      countDown(expires);
      if (isLoopback) return;
      const picture = await code(url);
      if (link.value === url) $("handoff-code").replaceChildren(picture);
    } catch (error) {
      if (number === made) clear(`The link was not made: ${error.message}`);
    } finally {
      if (number === made) asked = undefined;
    }
  };

  /** A link to look on is made at once. One to act is made when it is asked for: whoever has it can do what the user can. */
  const choose = () => {
    if (chosen() === "view") return make();
    made++;
    asked = undefined;
    clear("A person with this link can do all that you can do here.");
  };

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link.value);
      $("handoff-copy").textContent = "Copied";
    } catch {
      // Without a secure context there is no clipboard: the text is selected for the user to copy.
      link.select();
      $("handoff-copy").textContent = "Selected: copy it";
    }
    setTimeout(() => {
      $("handoff-copy").textContent = "Copy the link";
    }, 2000);
  };

  $("handoff-open").addEventListener("click", () => {
    $("handoff-local").hidden = !isLoopback;
    $("handoff-code").hidden = isLoopback;
    $("handoff-local").textContent = isLoopback ? localHint : "";
    // Who may only look can let others look.
    const { session } = current();
    for (const input of scopes) input.disabled = input.value !== "view" && session.scope === "view";
    if (session.scope === "view") for (const input of scopes) input.checked = input.value === "view";
    dialog.showModal();
    choose();
  });
  // A double click makes one link, also if the answer arrives before the second click.
  $("handoff-new").addEventListener("click", (event) => {
    if (event.detail < 2) make();
  });
  $("handoff-copy").addEventListener("click", copy);
  $("handoff-close").addEventListener("click", () => dialog.close());
  for (const input of scopes) input.addEventListener("change", choose);
  link.addEventListener("focus", () => link.select());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", stop);

  return { close: () => dialog.close() };
}
