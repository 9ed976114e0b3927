// The code of an app beside it: its Swift as the server has it, and the function that draws it on this page.

import { element } from "./elements.js";

const SHOWN_LINES = 40;

const words = {
  swift: "actor as async await case catch default defer do else enum extension false fileprivate for func guard if import in init inout let nil private "
    + "public return self Self some static struct switch throw throws true try typealias var where while",
  js: "async await case const else export false for from function if import in let new null of return switch true typeof undefined",
};
const keywords = Object.fromEntries(Object.entries(words).map(([language, text]) => [language, new Set(text.split(" "))]));
const token = /(?<comment>\/\/[^\n]*)|(?<string>"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*')|(?<word>[A-Za-z_$][\w$]*)|(?<number>\b\d[\d_.]*)/g;

/**
 * The parts of a program's text that look alike, in order.
 *
 * @param {string} text
 * @param {"swift" | "js"} language
 * @returns {{kind: "" | "comment" | "string" | "word" | "type" | "number", text: string}[]}
 */
export function parts(text, language) {
  const found = [];
  let end = 0;
  const add = (kind, part) => {
    if (found.at(-1)?.kind === kind) found.at(-1).text += part;
    else if (part) found.push({ kind, text: part });
  };
  for (const match of text.matchAll(token)) {
    add("", text.slice(end, match.index));
    end = match.index + match[0].length;
    const [[kind]] = Object.entries(match.groups).filter(([, part]) => part !== undefined);
    const isName = kind === "word" && !keywords[language].has(match[0]);
    add(isName ? (/^[A-Z]/.test(match[0]) && language === "swift" ? "type" : "") : kind, match[0]);
  }
  add("", text.slice(end));
  return found;
}

/** The statement of a script that begins with some text: from there to the next line that begins in its first column. */
export function statement(source, beginning) {
  const start = source.indexOf(beginning);
  if (start < 0) return undefined;
  const lines = source.slice(start).split("\n");
  const end = lines.findIndex((line, index) => index > 0 && /^[^\s})\]]/.test(line));
  return lines.slice(0, end < 0 ? undefined : end).join("\n").trimEnd();
}

async function textOf(path) {
  const answer = await fetch(new URL(path, import.meta.url));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

/** A script is served without its comments and indentation; its source is in its map. */
async function viewOf({ script, type }) {
  const { sourcesContent: [source] } = await (await textOf(`${script}.map`)).json();
  return statement(source, `screen("${type}",`);
}

/** One listing: at first its first lines, with buttons to copy and to show all. */
function listing(title, language, text) {
  const lines = text.split("\n");
  const code = element("code", { tabIndex: 0, role: "region", ariaLabel: title });
  const show = (shown) => code.replaceChildren(...parts(shown, language).map(({ kind, text }) =>
    (kind ? element("span", { className: `code-${kind}` }, text) : text)));
  show(lines.slice(0, SHOWN_LINES).join("\n"));
  const copy = element("button", { type: "button", className: "button button-quiet" }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      // Without a secure page there is no clipboard.
      show(text);
      getSelection().selectAllChildren(code);
      copy.textContent = "Selected: copy it";
    }
  });
  const head = element("div", { className: "code-head" }, element("h4", {}, title), copy);
  const made = element("div", { className: "code-listing" }, head, element("pre", {}, code));
  if (lines.length > SHOWN_LINES) {
    const all = element("button", { type: "button", className: "button" }, `Show all ${lines.length} lines`);
    all.addEventListener("click", () => {
      show(text);
      all.remove();
      code.focus();
    });
    made.append(all);
  }
  return made;
}

/**
 * Shows the code of an app, once the user comes near it.
 *
 * @param {HTMLElement} place
 * @param {{swift: string, next?: string, view: {script: string, type: string}} | undefined} code where it is, with the Swift of the version that the
 *   stage deploys; undefined for an app that the page does not know.
 */
export function showCode(place, code) {
  watching?.disconnect();
  place.querySelector(".code-listings").replaceChildren();
  if (!code) return;
  watching = new IntersectionObserver(([{ isIntersecting }], watcher) => {
    if (!isIntersecting) return;
    watcher.disconnect();
    draw(place, code).catch(({ message }) => place.querySelector(".code-listings").replaceChildren(`The code cannot be shown: ${message}`));
  }, { rootMargin: "200px" });
  watching.observe(place);
}

let watching;

async function draw(place, code) {
  const mine = watching;
  const files = [["On the server", code.swift], ["On the server, as version 2", code.next]].filter(([, file]) => file);
  const [view, ...texts] = await Promise.all([viewOf(code.view), ...files.map(([, file]) => textOf(`code/${file}`).then((answer) => answer.text()))]);
  if (watching !== mine) return;
  place.querySelector(".code-listings").replaceChildren(
    ...files.map(([where, file], index) => listing(`${where}: ${file}`, "swift", texts[index].trimEnd())),
    listing(`On this page: ${code.view.script}`, "js", view));
}
