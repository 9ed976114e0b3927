// Where the page finds the supervisor of its server, which `ribd demo` is: it kills the server, and signs tokens.

const { content } = document.querySelector("meta[name=demo]");

/** Whether the server has a supervisor, here or on another machine. */
export const isSupervised = content !== "";

/**
 * The address of the supervisor's apps, and the token for them; undefined without a supervisor, or on another machine than its own.
 *
 * @type {{url: string, token: string} | undefined}
 */
export const supervisor = (() => {
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  const [url, token] = content.split("#");
  return content && isHere ? { url, token } : undefined;
})();
