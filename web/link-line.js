// The link between page and server, as it is drawn above the app: a dot for each message.

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Draws what travels.
 *
 * @param {HTMLElement} line
 * @param {import("./inspector-link.js").LinkControls} links
 */
export function drawTravel(line, links) {
  links.addEventListener("travel", ({ detail: { direction, duration } }) => {
    if (document.hidden || line.childElementCount > 30) return;
    const dot = Object.assign(document.createElement("i"), { className: `link-dot link-dot-${direction}` });
    line.append(dot);
    const way = ["translateX(0)", "translateX(100%)"];
    if (direction === "in") way.reverse();
    const frames = calm.matches ? { opacity: [1, 0] } : { transform: way, opacity: [0, 1, 1, 0] };
    const travel = dot.animate(frames, { duration: Math.max(duration, 420), easing: "cubic-bezier(.4, 0, .4, 1)" });
    travel.finished.finally(() => dot.remove());
  });
}
