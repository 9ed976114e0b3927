// The operator's token: asked for, tried, and kept in the tab. It is in no address, and leaves the page in a header and in the credential of
// the session only.

const key = "ribserver:inspector:token";

/** Words for what is wrong with a token. */
export const problems = {
  malformed: "This is not a token. A token has letters and digits only, without spaces.",
  wrong: "The server does not know this token.",
  over: "The server no longer accepts this token. An operator has removed the token from its file, or the server has restarted with a new token.",
  away: "The server does not answer. Is it running, and does its admin listener still have this address?",
};

/** The token of this tab, in its session storage; in memory where the browser keeps nothing of sites. */
export class Token {
  #storage;
  #value;

  /** @param {Storage | undefined} storage */
  constructor(storage) {
    this.#storage = storage;
    this.#value = storage?.getItem(key) ?? undefined;
  }

  /** The token; undefined if the operator has to be asked. */
  get value() {
    return this.#value;
  }

  /** @param {string} value */
  keep(value) {
    this.#value = value;
    try {
      this.#storage?.setItem(key, value);
    } catch {
      // If the storage is full, a reload asks again.
    }
  }

  forget() {
    this.#value = undefined;
    this.#storage?.removeItem(key);
  }
}

/**
 * Whether the server takes a token.
 *
 * @param {string} token
 * @param {typeof fetch} [ask]
 * @returns {Promise<keyof typeof problems | undefined>} what is wrong; undefined if it is good.
 */
export async function problemOf(token, ask = fetch) {
  // Others cannot be in a header.
  if (!/^[\x21-\x7e]+$/.test(token)) return "malformed";
  try {
    const { status } = await ask("/livez", { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" });
    return status === 401 ? "wrong" : undefined;
  } catch {
    return "away";
  }
}

/** The form that asks for a token. */
export class Door {
  #form = document.getElementById("door");
  #problem = document.getElementById("door-problem");
  #button = document.getElementById("door-open");

  /** @param {(token: string) => void} whenOpened called with a token that the server takes. */
  constructor(whenOpened) {
    this.#form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (this.#button.ariaBusy === "true") return;
      const token = this.#form.elements.token.value.trim();
      this.#button.ariaBusy = "true";
      const problem = await problemOf(token);
      this.#button.ariaBusy = "false";
      if (problem) return this.#say(problem);
      this.hide();
      whenOpened(token);
    });
  }

  /** @param {keyof typeof problems} [problem] why the operator is asked again. */
  show(problem) {
    this.#form.hidden = false;
    this.#say(problem);
  }

  hide() {
    this.#form.reset();
    this.#form.hidden = true;
    this.#problem.textContent = "";
  }

  #say(problem) {
    this.#problem.textContent = problem ? problems[problem] : "";
    const { token } = this.#form.elements;
    token.ariaInvalid = String(problem !== undefined && problem !== "away");
    token.focus();
    token.select();
  }
}
