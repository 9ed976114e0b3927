// Figures as a person reads them. All of it is pure, but for what asks the clock, which can be told the time.

import { grouped } from "./elements.js";

/** Stands for a figure that there is none of. */
export const none = "–";

/** Whether there is a value: the server leaves out what it does not know. */
export const isKnown = (value) => value !== undefined && value !== null;

/** Three digits at most, and no zeros at the end: 1.2, 34.5, 120. */
const digits = (number) => String(Number(number.toFixed(number < 99.95 ? 1 : 0)));

/**
 * A number of bytes, in units of 1024.
 *
 * @param {number | null | undefined} count
 */
export function bytes(count) {
  if (!isKnown(count)) return none;
  if (count < 1024) return `${count} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = count / 1024;
  let unit = 0;
  // 1023.96 KiB would be shown as 1024.
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${digits(value)} ${units[unit]}`;
}

/**
 * A time that something took, of microseconds.
 *
 * @param {number | null | undefined} micros
 */
export function time(micros) {
  if (!isKnown(micros)) return none;
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 999_500) return `${digits(micros / 1000)} ms`;
  return micros < 60_000_000 ? `${digits(micros / 1_000_000)} s` : span(micros / 1_000_000);
}

/** A count, in groups of three digits. */
export const count = (number) => (isKnown(number) ? grouped(Math.round(number)) : none);

/** So many of a thing: "1 client", "3 clients". */
export const counted = (number, thing, things = `${thing}s`) => `${count(number)} ${number === 1 ? thing : things}`;

/** A figure for each second: small ones with a digit after the point. */
export const rate = (number) => (!isKnown(number) ? none : number < 9.95 ? digits(number) : count(number));

/** A share in percent. */
export const percent = (number) => (isKnown(number) ? `${digits(number)} %` : none);

const parts = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];

/**
 * A span of time in its two greatest units: "3 d 4 h", "12 min", "8 s".
 *
 * @param {number} seconds
 */
export function span(seconds) {
  let rest = Math.max(0, Math.round(seconds));
  const first = parts.findIndex(([, length]) => rest >= length);
  if (first < 0) return "0 s";
  const words = [];
  for (const [unit, length] of parts.slice(first, first + 2)) {
    if (rest >= length) words.push(`${Math.floor(rest / length)} ${unit}`);
    rest %= length;
  }
  return words.join(" ");
}

/**
 * How long ago something was, in one unit.
 *
 * @param {number} at in seconds since 1970.
 * @param {number} [now] the same.
 */
export function ago(at, now = Date.now() / 1000) {
  // The server's clock may be a little ahead of the browser's.
  const seconds = Math.max(0, now - at);
  const [unit, length] = parts.find(([, length]) => seconds >= length) ?? parts.at(-1);
  return seconds < 2 ? "now" : `${Math.floor(seconds / length)} ${unit} ago`;
}

/**
 * How long it is until something happens.
 *
 * @param {number} at in seconds since 1970.
 * @param {number} [now] the same.
 */
export const until = (at, now = Date.now() / 1000) => (at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`);

const two = (number) => String(number).padStart(2, "0");

/**
 * A time of the day in the browser's zone, with milliseconds.
 *
 * @param {number} millis since 1970.
 */
export function clock(millis) {
  const date = new Date(millis);
  const text = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${text}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/**
 * A day and a time in the browser's zone: "2026-11-27 14:03:22".
 *
 * @param {number} seconds since 1970.
 */
export function stamp(seconds) {
  const date = new Date(seconds * 1000);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${clock(seconds * 1000).slice(0, 8)}`;
}

/** The beginning of a session's name, which is enough to tell it from others. */
export const short = (id) => (id.length > 12 ? `${id.slice(0, 10)}…` : id);
