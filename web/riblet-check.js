// The hash that `check` compares the view by: loaded with the first check.

/** RFC 8785. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (!(typeof value === "object" && value !== null)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)}}`;
}

export async function hashOf(view) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(view)));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
