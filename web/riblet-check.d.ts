import type { Json, View } from "./riblet.js";

/** The document's canonical form, RFC 8785: what the hash of a `check` is made of. */
export function canonical(value: Json): string;

/** The SHA-256 of a view's canonical form, in lowercase hexadecimal digits. Rejects without `crypto.subtle`, which needs a secure page. */
export function hashOf(view: View): Promise<string>;
