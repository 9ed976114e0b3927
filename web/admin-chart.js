// Sparklines: what a figure was in the last five minutes, as a line without axes, and in words for those who do not see it.

import { h } from "./render.js";
import { isKnown } from "./admin-format.js";

/** The time that a line shows, in seconds. */
const span = 300;
/** The size of the drawing; a style sheet stretches it. */
const width = 240, height = 48;
/** The longest pause between two samples, in seconds: nothing is drawn across a longer one, in which the server was too busy. */
const gap = 12;

/**
 * The runs of a figure without a pause, as points between 0 and 1; time grows to the right, the figure downwards.
 *
 * @param {{time: number}[]} samples in order.
 * @param {(sample: any) => number | null | undefined} figure
 * @param {number} top the figure at the upper edge.
 */
export function runs(samples, figure, top) {
  const end = samples.at(-1)?.time ?? 0;
  const found = [];
  let last;
  for (const sample of samples) {
    const value = figure(sample);
    if (!isKnown(value) || sample.time < end - span) continue;
    if (last === undefined || sample.time - last > gap) found.push([]);
    found.at(-1).push([1 - (end - sample.time) / span, 1 - value / top]);
    last = sample.time;
  }
  return found;
}

/**
 * The least, the greatest and the last known of a figure; nothing if none is known.
 *
 * @param {any[]} samples
 * @param {(sample: any) => number | null | undefined} figure
 */
export function range(samples, figure) {
  const known = samples.map(figure).filter(isKnown);
  if (known.length === 0) return undefined;
  return { least: Math.min(...known), greatest: Math.max(...known), last: known.at(-1) };
}

/** A run as the commands of a path. */
const line = (run) => run.map(([x, y], index) =>
  `${index ? "L" : "M"}${(x * width).toFixed(1)} ${(1 + y * (height - 2)).toFixed(1)}`).join("");

/** The same with what is below it. */
const area = (run) => `${line(run)}L${(run.at(-1)[0] * width).toFixed(1)} ${height}L${(run[0][0] * width).toFixed(1)} ${height}Z`;

/** The extent of a figure, in words. */
function extent(range, show) {
  if (!range) return "no data in 5 minutes";
  const [least, greatest] = [show(range.least), show(range.greatest)];
  return least === greatest ? "steady" : `${least} to ${greatest}`;
}

/**
 * A tile: a figure as it is now, with its line.
 *
 * @param {{
 *   title: string,
 *   samples: any[],
 *   figure: (sample: any) => number | null | undefined,
 *   also?: {title: string, figure: (sample: any) => number | null | undefined},
 *   show: (value: number) => string,
 *   floor: number,
 *   note?: string,
 * }} options `also` is a second line; `floor` is the least figure that the upper edge stands for, so that a quiet server's line is flat.
 */
export function tile({ title, samples, figure, also, show, floor, note }) {
  const main = range(samples, figure), other = also && range(samples, also.figure);
  const newest = samples.at(-1) ?? {};
  const top = Math.max(main?.greatest ?? 0, other?.greatest ?? 0, floor);
  const said = (figure) => (isKnown(figure(newest)) ? show(figure(newest)) : "no data");
  const words = main
    ? `${title} in the last 5 minutes: now ${said(figure)}, between ${show(main.least)} and ${show(main.greatest)}.`
    : `${title}: no data in the last 5 minutes.`;
  const draw = (figure, kind, shape) => runs(samples, figure, top).map((run, index) =>
    h("path", { key: `${kind}${index}`, class: kind, d: shape(run) }));
  return h("div", { class: "tile" },
    h("h3", { class: "tile-title" }, title),
    h("p", { class: isKnown(figure(newest)) ? "tile-value" : "tile-value is-none" }, said(figure)),
    also && h("p", { class: "tile-also" }, h("span", { class: "tile-key", "aria-hidden": "true" }), `${also.title} ${said(also.figure)}`),
    h("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": words },
      draw(figure, "spark-area", area), also && draw(also.figure, "spark-also", line), draw(figure, "spark-line", line)),
    h("p", { class: "tile-note" }, extent(main, show), note && ` · ${note}`));
}
