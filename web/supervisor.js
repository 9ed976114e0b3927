// Where the page finds the supervisor of its server, which `ribd demo` is: it kills the server, and signs tokens.

/** Whether the page is on the supervisor's machine, which alone reaches it. */
const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);

/** The supervisor in the content of the page's meta element: a URL, and a token as its fragment; nothing without a supervisor. */
function supervisorIn(content) {
  const [url, token] = content.split("#");
  return content && isHere ? { url, token } : undefined;
}

const { content } = document.querySelector("meta[name=demo]");

/** Whether the server has a supervisor, here or on another machine. */
export const isSupervised = content !== "";

/**
 * The address of the supervisor's apps, and the token for them; undefined without a supervisor, or on another machine than its own.
 *
 * @type {{url: string, token: string} | undefined}
 */
export let supervisor = supervisorIn(content);

/** Asks the server for its supervisor anew, which is another one after a restart by hand, and sets {@link supervisor}. */
export async function findSupervisor() {
  const answer = await fetch("./", { cache: "no-cache" });
  supervisor = supervisorIn(/<meta name="demo" content="([^"]*)">/.exec(await answer.text())?.[1] ?? "");
}
