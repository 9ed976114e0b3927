// A second window of a session: it joins by a link, as another person would.

/** The address that joins a session of an app by a token. */
export const linkOf = (app, token) => `${location.origin}/#/${encodeURIComponent(app)}?share=${encodeURIComponent(token)}`;

/**
 * Opens a session in a second window, which may do what this one may.
 *
 * @param {{session: import("./riblet.js").Session, app: string}} shown the session.
 * @returns {Promise<void>} rejects if the browser opens no window, or the session has no link.
 */
export async function openWindow({ session, app }) {
  // Before anything is waited for: browsers open windows for a click alone.
  const opened = open("", "_blank");
  if (!opened) throw new Error("The browser did not open a window.");
  try {
    const { token } = await session.share(session.scope);
    opened.location = linkOf(app, token);
  } catch (error) {
    opened.close();
    throw error;
  }
}
