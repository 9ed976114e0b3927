// Signing in: a form, and a token for each connection, from an issuer for development.
//
// The issuer is a server of riblets too (`ribctl dev-issuer`): its app "issuer" signs a token for any client that asks. Only what the
// user has entered is kept, in the tab's session storage; each connection gets a new token.

import { connect } from "./riblet.js";
import { findSupervisor, supervisor } from "./supervisor.js";

const key = "riblet:showcase:person";
/** How long the issuer may take, in milliseconds. */
const patience = 5_000;
/** In the demo, whose supervisor is an issuer, the page signs its user in by itself. */
const guest = supervisor && { subject: "ada", roles: ["boss"], seconds: 300 };

/** A person's issuer: the supervisor, whose address is another one after each start, unless the person has entered another one. */
const issuerOf = (person) => person?.issuer ?? supervisor?.url;

/** Gets a token from a person's issuer; from the supervisor that runs now, if it is the issuer. */
async function tokenFor(person) {
  const asked = supervisor;
  try {
    return await sign(person, issuerOf(person));
  } catch (error) {
    if (person.issuer !== undefined || !asked) throw error;
    await findSupervisor().catch(() => {});
    if (!supervisor || supervisor.url === asked.url) throw error;
    return sign(person, supervisor.url);
  }
}

async function sign({ subject, roles, seconds }, issuer) {
  // The supervisor's issuer signs for its page alone.
  const session = connect(issuer, { app: "issuer", ...(issuer === supervisor?.url && { auth: () => supervisor.token }) });
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`The issuer at ${issuer} does not answer. Is it running?`)), patience);
  });
  try {
    const { status, nack } = await Promise.race([session.act("", { sign: { subject, roles, seconds } }), late]);
    if (status !== "applied") throw new Error(nack?.message ?? "The issuer has not signed a token.");
    const { token } = session.node().state;
    session.end();
    return token;
  } catch (error) {
    session.close();
    throw error;
  }
}

/** The page's user. */
export class Person {
  #storage;
  /** What the user has entered; undefined if nobody is signed in. */
  #entered;
  /** What was entered last, which fills the form. */
  #last;
  /** Why the issuer gave no token. */
  #problem = "";

  /** @param {Storage | undefined} storage keeps what the user has entered, for a reload. */
  constructor(storage) {
    this.#storage = storage;
    this.#entered = JSON.parse(storage?.getItem(key) ?? "null") ?? guest;
    if (supervisor) this.#entered = { ...this.#entered, issuer: undefined };
    this.#last = this.#entered;
  }

  /** Whether the user has signed in. */
  get isKnown() {
    return this.#entered !== undefined;
  }

  /**
   * A token; null if nobody is signed in, or the user has to be asked.
   *
   * @param {boolean} isConnected whether the session was live before: if the issuer fails, it then tries again later; if not, the user
   *   is asked.
   */
  async token(isConnected) {
    if (!this.#entered) return null;
    try {
      return await tokenFor(this.#entered);
    } catch (error) {
      if (isConnected) throw error;
      this.#problem = error.message;
      return null;
    }
  }

  /**
   * Signs the user out on this page, and shows the form to sign in.
   *
   * @param {HTMLElement} place where the form is drawn.
   * @param {import("./riblet.js").Reason} reason why the session is signed out.
   * @param {() => void} whenSignedIn called once the issuer has signed a token.
   * @returns {{unmount(): void}}
   */
  ask(place, reason, whenSignedIn) {
    this.#enter(undefined);
    const { firstElementChild: form } = document.getElementById("sign-in").content.cloneNode(true);
    const fields = form.elements;
    for (const [name, value] of Object.entries({ ...this.#last, issuer: issuerOf(this.#last) })) if (value !== undefined) fields[name].value = value;
    const fail = (text) => {
      form.querySelector(".field-error").textContent = text;
      form.querySelector("details").open = true;
    };
    // The person may have been signed out, or the session was ended: the server says which.
    if (reason?.code === "revoked") form.querySelector("h3").textContent = reason.message?.replace(/\.$/, "") || "You are signed out";
    if (this.#problem) fail(this.#problem);
    else if (reason?.code === "unauthenticated" && reason.message) fail(`The server does not accept this token. ${reason.message}`);
    this.#problem = "";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#signIn(form, fail, whenSignedIn);
    });
    place.append(form);
    return { unmount: () => form.remove() };
  }

  async #signIn(form, fail, whenSignedIn) {
    const button = form.querySelector("[type=submit]");
    if (button.ariaBusy === "true") return;
    button.ariaBusy = "true";
    const { subject, roles, seconds, ...entered } = Object.fromEntries(new FormData(form));
    const issuer = entered.issuer.replace(/\/+$/, "");
    const person = {
      issuer: issuer === supervisor?.url ? undefined : issuer, subject: subject.trim(), seconds: Number(seconds),
      roles: roles.split(",").map((role) => role.trim()).filter(Boolean),
    };
    try {
      // To know at once whether the issuer signs one.
      await tokenFor(person);
    } catch ({ message }) {
      button.ariaBusy = "false";
      if (form.isConnected) fail(message);
      return;
    }
    if (!form.isConnected) return;
    this.#enter(person);
    this.#last = person;
    whenSignedIn();
  }

  #enter(person) {
    this.#entered = person;
    try {
      if (person) this.#storage?.setItem(key, JSON.stringify(person));
      else this.#storage?.removeItem(key);
    } catch {
      // If the storage is full, a reload asks the user again.
    }
  }
}
