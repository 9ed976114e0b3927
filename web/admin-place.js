// Where the operator is, as the address says it: #/log is a page, #/session/ID a session. The server has the place, the address follows it;
// a link, a bookmark and the back button ask the server to go there.

/** @typedef {{page: string, session?: undefined} | {session: string, page?: undefined}} Place */

/**
 * The place of an address.
 *
 * @param {string} hash the part of the address after its path.
 * @returns {Place | undefined} nothing for an address that names none.
 */
export function placeOf(hash) {
  const [, kind, rest] = /^#\/([A-Za-z]+)(?:\/(.+))?$/.exec(hash) ?? [];
  if (kind === "session" && rest) {
    try {
      return { session: decodeURIComponent(rest) };
    } catch {
      return undefined;
    }
  }
  return kind && kind !== "session" && !rest ? { page: kind } : undefined;
}

/**
 * The address of a place.
 *
 * @param {Place} place
 */
export const addressOf = ({ page, session }) => (session === undefined ? `#/${page}` : `#/session/${encodeURIComponent(session)}`);

/**
 * The place that a view shows.
 *
 * @param {import("./riblet.js").View | undefined} view
 * @returns {Place | undefined} nothing while there is no view.
 */
export function placeIn(view) {
  const root = view?.nodes[view.root];
  if (!root) return undefined;
  const session = view.nodes[root.children?.session?.ids[0]];
  return session ? { session: session.state.id } : { page: root.state.page };
}

/**
 * The action of the root by which the server goes to a place.
 *
 * @param {Place} place
 */
export const actionFor = ({ page, session }) => (session === undefined ? { pageTapped: page } : { sessionEntered: { id: session } });
