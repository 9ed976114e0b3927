// Elements of the page itself; what belongs to a session is made by render.js.

/**
 * Makes an element.
 *
 * @param {string} tag
 * @param {Record<string, unknown> | null} [properties] by the names of properties; what is none is an attribute.
 * @param {...(Node | string)} children
 */
export function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** A number as it is read, in groups of three digits. To load what formats by locale takes a browser fifty milliseconds. */
export const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
