// The rule for controls that a user and the server change at the same time, without DOM. fields.js sends what the user makes of them;
// docs/WebClient.md explains both under "Fields".
//
// A control shows what its user made of it until the server has answered all that was sent from the control. Then it shows the server's
// value. What the user has not sent yet is merged into it.

/** If the product of two lengths is larger, the texts are not compared by characters. */
const mostCompared = 250_000;

/**
 * Finds the characters of a text in the next one. Two differing parts of one length are the same characters in another form, such as capitals.
 *
 * @returns {Int32Array} for each index of the text an index of the next one, in rising order; -1 for a character that was removed.
 */
function align(text, next) {
  const kept = new Int32Array(text.length).fill(-1);
  const shorter = Math.min(text.length, next.length);
  let head = 0, tail = 0;
  while (head < shorter && text[head] === next[head]) kept[head] = head++;
  while (tail < shorter - head && text.at(-1 - tail) === next.at(-1 - tail)) tail++;
  if (isHigh(text, head - 1)) kept[--head] = -1;
  if (tail && isHigh(text, text.length - tail - 1)) tail--;
  for (let place = 1; place <= tail; place++) kept[text.length - place] = next.length - place;
  const width = text.length - head - tail, height = next.length - head - tail;
  if (width === height) {
    for (let place = 0; place < width; place++) kept[head + place] = head + place;
  } else if (width * height <= mostCompared) {
    const pairs = longestCommon(text.slice(head, head + width), next.slice(head, head + height));
    // Unrelated words share letters too. With few pairs, the new part replaces the old one as a whole.
    if (pairs.length >= 0.75 * Math.min(width, height)) for (const [x, y] of pairs) kept[head + x] = head + y;
  }
  return kept;
}

/** The pairs of indices of a longest common subsequence. */
function longestCommon(a, b) {
  const width = b.length + 1, lengths = new Int32Array((a.length + 1) * width);
  for (let x = a.length - 1; x >= 0; x--) {
    for (let y = b.length - 1, at = x * width + y; y >= 0; y--, at--) {
      lengths[at] = a[x] === b[y] ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  const pairs = [];
  for (let x = 0, y = 0; x < a.length && y < b.length;) {
    if (a[x] === b[y]) pairs.push([x++, y++]);
    else if (lengths[(x + 1) * width + y] >= lengths[x * width + y + 1]) x++;
    else y++;
  }
  return pairs;
}

/** Whether the first half of a character of two code units is at an index. */
const isHigh = (text, index) => (text.charCodeAt(index) & 0xfc00) === 0xd800;

/** What a user has done to a text: for each character its index in `base`, the text before; -1 for a character that the user has typed. */
class Edits {
  constructor(base, origin = Array.from({ length: base.length }, (_, index) => index)) {
    this.base = base;
    this.origin = origin;
  }

  /** Takes note of a change of the text. A change ends at the caret. */
  note(text, next, caret = next.length) {
    const shorter = Math.min(text.length, next.length);
    let tail = Math.min(next.length - caret, shorter);
    if (!text.endsWith(next.slice(next.length - tail))) tail = 0;
    let head = 0;
    while (head < shorter - tail && text[head] === next[head]) head++;
    while (tail < shorter - head && text.at(-1 - tail) === next.at(-1 - tail)) tail++;
    if (isHigh(text, head - 1)) head--;
    if (isHigh(text, text.length - tail - 1)) tail--;
    const typed = new Array(Math.max(0, next.length - tail - head)).fill(-1);
    this.origin = this.origin.slice(0, head).concat(typed, this.origin.slice(text.length - tail));
  }

  typedIn(text) {
    return this.origin.map((from, place) => (from < 0 ? text[place] : "")).join("");
  }

  /** These edits and later ones, which began with the text that these have made. */
  with({ origin }) {
    return new Edits(this.base, origin.map((from) => (from < 0 ? -1 : this.origin[from])));
  }

  /** These edits, with a text behind theirs that was typed. */
  before({ origin }) {
    return new Edits(this.base, [...this.origin, ...origin.map(() => -1)]);
  }

  /**
   * Merges the server's next text: what the user or the server has removed is gone, what either has written is there.
   *
   * @param {string} text - what these edits have made of the base.
   * @param {string} next - what the server has made of the base.
   * @returns {{ text: string, edits: Edits, places: number[] }} the merged text, its edits, which begin with the server's text, and for each place
   *   between characters of the text where that is now.
   */
  merge(text, next) {
    const { base, origin } = this, kept = align(base, next), made = [], places = [0];
    // The next character of the server's text that the base has as well, from each index of the base on.
    const following = new Int32Array(base.length + 1).fill(next.length);
    for (let index = base.length - 1; index >= 0; index--) following[index] = kept[index] >= 0 ? kept[index] : following[index + 1];
    let taken = 0, seen = 0, merged = "";
    const take = (end) => {
      for (; taken < end; taken++) {
        made.push(taken);
        merged += next[taken];
      }
    };
    // The user has removed these characters of the base.
    const skip = (end) => {
      for (; seen < end; seen++) {
        if (kept[seen] < 0) continue;
        take(kept[seen]);
        taken++;
      }
    };
    origin.forEach((from, place) => {
      if (from < 0) {
        take(following[seen]);
        made.push(-1);
        merged += text[place];
      } else {
        skip(from);
        if (kept[from] >= 0) take(kept[from] + 1);
        seen = from + 1;
      }
      places.push(made.length);
    });
    skip(base.length);
    take(next.length);
    return { text: merged, edits: new Edits(next, made), places };
  }
}

/** The origins of a text's characters as runs, each of where it begins and how long it is: a draft of 64 KiB is not to take a megabyte. */
function packed({ base, origin }) {
  const runs = [];
  for (const [place, from] of origin.entries()) {
    const isNext = place > 0 && (from < 0 ? origin[place - 1] < 0 : from === origin[place - 1] + 1 && from > 0);
    if (isNext) runs[runs.length - 1]++;
    else runs.push(from, 1);
  }
  return { base, runs };
}

function unpacked({ base, runs }) {
  const origin = [];
  for (let index = 0; index < runs.length; index += 2) {
    for (let place = 0; place < runs[index + 1]; place++) origin.push(runs[index] < 0 ? -1 : runs[index] + place);
  }
  return new Edits(base, origin);
}

const textOf = (value) => String(value ?? "");

/**
 * Kinds of controls: what they show of a value (`show`), and whether what they show stands for it (`stands`). A text is merged, of other values
 * the user's or the server's is shown. `read` makes the value that is sent of what is shown; undefined is not sent.
 */
export const kinds = {
  text: { show: textOf, read: (shown) => shown, isText: true },
  /** "1." and "1.0" stand for 1: the user may write it like that. */
  number: {
    show: textOf,
    stands: (shown, value) => (shown.trim() === "" ? textOf(value) === "" : textOf(value) !== "" && Number(shown) === Number(value)),
    read: (shown) => (shown.trim() === "" ? null : Number.isFinite(Number(shown)) ? Number(shown) : undefined),
  },
  choice: {
    show: (value) => value,
    stands: (shown, value) => JSON.stringify(shown) === JSON.stringify(value),
    read: (shown) => shown,
  },
};

const isText = (value) => typeof value === "string";

function areEdits(edits, text) {
  if (!isText(text) || !isText(edits?.base) || !Array.isArray(edits.runs) || edits.runs.length % 2) return false;
  let left = text.length;
  for (let index = 0; index < edits.runs.length; index += 2) {
    const [from, length] = edits.runs.slice(index, index + 2);
    if (![from, length].every(Number.isInteger) || from < -1 || length < 1 || from + length > Math.max(edits.base.length, from < 0 ? left : 0)) return false;
    left -= length;
  }
  return left === 0;
}

/** Each kept edits with those that were sent before. */
const pairs = (kept) => kept.sent.map((it, index) => [it, kept.sent[index + 1] ?? kept]);

/** What was kept, with what it leaves out. */
function whole(kept) {
  if (typeof kept !== "object" || !Array.isArray(kept?.sent)) return undefined;
  const copy = { ...kept, edits: kept.edits && { ...kept.edits }, sent: kept.sent.map((it) => ({ ...it, edits: it?.edits && { ...it.edits } })) };
  for (const [before, { edits }] of pairs(copy)) if (edits) edits.base ??= before.text;
  return copy;
}

/** Whether it is what a field of the kind has kept: another version of the page may have written it. */
function isKept(kept, { isText }) {
  const isEntry = (it) => typeof it === "object" && it && (!isText || areEdits(it.edits, it.text)) && (!it.cleared || isEntry(it.cleared));
  return kept && kept.sent.every(isEntry)
    && (isText ? areEdits(kept.edits, kept.shown) : !kept.edits && kept.shown !== undefined);
}

/** One control, or a group of them. */
export class Field {
  /** What the control shows. */
  shown;
  isComposing = false;
  /** Whether nothing shows the field now, so that nobody says what the server makes of it: what is not sent waits. */
  isAway = false;
  /** For each place between characters of the text before the last merge where it is now. */
  places;
  #kind;
  #served;
  /** A text's edits since it was sent last; of other values only whether there are any. */
  #edits;
  #isChanged = false;
  /** What was sent and is not answered, in order: `{action, edits, text, isClear, cleared}`. */
  #sent = [];
  /** Answers that have come during a composition. */
  #late = [];

  /** A control that shows the server's value, or goes on with what `kept` was for the page before. */
  constructor(value, kind = kinds.text, kept) {
    this.#kind = kind;
    this.#served = value;
    this.shown = kind.show(value);
    if (kind.isText) this.#edits = new Edits(this.shown);
    kept = whole(kept);
    if (!isKept(kept, kind)) return;
    this.shown = kept.shown;
    this.#isChanged = kept.isChanged;
    this.#edits = kept.edits && unpacked(kept.edits);
    const revive = (it) => it && { ...it, edits: it.edits && unpacked(it.edits), cleared: revive(it.cleared) };
    this.#sent = kept.sent.map(revive);
    this.#settle();
  }

  /** What the next page needs to go on, as JSON. */
  get kept() {
    const pack = (it) => it && { ...it, edits: it.edits && packed(it.edits), cleared: pack(it.cleared) };
    const kept = { shown: this.shown, isChanged: this.#isChanged, edits: this.#edits && packed(this.#edits), sent: this.#sent.map(pack) };
    // What edits begin with is as a rule what was sent before them.
    for (const [before, { edits }] of pairs(kept)) if (edits && before.text === edits.base) delete edits.base;
    return kept;
  }

  /** Whether the user has changed something that is not sent. */
  get isEdited() {
    return this.#edits ? this.shown !== this.#edits.base : this.#isChanged;
  }

  /** The sent actions that are not answered. */
  get sent() {
    return this.#sent.slice(this.#late.length).map(({ action }) => action);
  }

  /** Those of them that only say what the user has made of the control. */
  get sentEdits() {
    return this.#sent.slice(this.#late.length).filter(({ isClear }) => !isClear).map(({ action }) => action);
  }

  /** Whether the control shows what its user has made of it, and not the server's value. */
  get isUsers() {
    return this.isEdited || this.#sent.length > 0 || this.isComposing;
  }

  /** Takes the server's value. */
  serve(value) {
    this.#served = value;
    this.isAway = false;
    this.#settle();
  }

  /** Goes on without the server's value, until it is said again. */
  leave() {
    this.isAway = true;
  }

  /** Takes a value that the page has sent without telling this field. What is shown was made from it. */
  rebase(value) {
    const { shown } = this;
    this.#served = value;
    this.#edits = new Edits(this.#kind.show(value));
    this.#edits.note(this.#edits.base, shown);
  }

  /** Takes what the user has made of the control. A change of a text ends at the caret. */
  edit(shown, caret) {
    this.#edits?.note(this.shown, shown, caret);
    this.shown = shown;
    this.#isChanged = true;
  }

  /** Shows nothing else as long as a composition lasts. */
  compose(isComposing) {
    this.isComposing = isComposing;
    if (isComposing) return;
    for (const isTaken of this.#late.splice(0)) this.answer(isTaken);
    this.#settle();
  }

  /** Takes note that an action was sent that has what is shown. */
  send(action) {
    this.#sent.push({ action, edits: this.#edits, text: this.shown });
    this.#isChanged = false;
    if (this.#edits) this.#edits = new Edits(this.shown);
  }

  /** Clears the text, as an action was sent that does so. What the server does not take of it comes back. */
  clear(action) {
    this.#sent.push({ action, edits: this.#edits, text: this.shown, isClear: true });
    this.#edits = new Edits("");
    this.shown = "";
  }

  /** Whether the first action without an answer clears the text. */
  get isClearing() {
    return this.#sent[this.#late.length]?.isClear === true;
  }

  /** Takes the answer to the first action that has none: whether the server has taken the action. */
  answer(isTaken) {
    if (this.isComposing) return void this.#late.push(isTaken);
    const it = this.#sent.shift(), [next] = this.#sent;
    if (it.isClear) {
      if (isTaken) this.#bringBack(it.edits.typedIn(it.text));
      else this.#restore(it);
    } else if (it.edits && !isTaken) {
      if (next) next.edits = it.edits.with(next.edits);
      else this.#edits = it.edits.with(this.#edits);
    }
    if (it.cleared && isTaken) this.#bringBack(it.cleared.text);
    else if (it.cleared) this.#restore(it.cleared);
    this.#settle();
  }

  /** The server refused to clear. It still has the text, unless it takes a text that was sent later. */
  #restore(cleared) {
    const [next] = this.#sent;
    if (next && !next.isClear) {
      next.cleared = cleared;
    } else if (next) {
      next.edits = cleared.edits.before(next.edits);
      next.text = cleared.text + next.text;
    } else {
      this.#edits = cleared.edits.before(this.#edits);
      this.shown = cleared.text + this.shown;
    }
  }

  /** Puts a text that the server does not have before what is shown. */
  #bringBack(text) {
    this.#edits = new Edits(this.#edits.base, [...new Array(text.length).fill(-1), ...this.#edits.origin]);
    this.shown = text + this.shown;
  }

  #settle() {
    if (this.#sent.length || this.isComposing || this.isAway) return;
    const next = this.#kind.show(this.#served);
    if (this.#edits) {
      if (next === this.#edits.base) return;
      if (next === this.shown) return void (this.#edits = new Edits(next));
      const { text, edits, places } = this.#edits.merge(this.shown, next);
      // In another text the caret stays where it is.
      const isAnother = !places.some((place) => place > 0 && place < text.length);
      if (text !== this.shown) this.places = isAnother ? undefined : this.places?.map((place) => places[place]) ?? places;
      this.shown = text;
      this.#edits = edits;
    } else if (this.#kind.stands(this.shown, this.#served)) {
      this.#isChanged = false;
    } else if (!this.#isChanged) {
      this.shown = next;
    }
  }
}
