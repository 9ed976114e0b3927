// The focus: what has it may be gone with the next patch, and whoever uses the keyboard would have to begin at the top.

const isVisible = (element) => !isGone(element) && element.checkVisibility();
const focusable = "h3[tabindex], h4[tabindex], button, input, [role=tab][tabindex='0'], a[href]";

/** Whether an element is out of the page, or about to be. */
const isGone = (element) => !element.isConnected || element.closest("[data-leaving]") !== null;

/**
 * Follows the focus within an element.
 *
 * @param {HTMLElement} screen
 * @returns {() => void} If what had the focus is gone, what stood beside it gets it, or what is around it.
 */
export function focusKeeper(screen) {
  /** The element that had the focus last and those around it, each with its neighbours at that time. */
  let trail = [];
  screen.addEventListener("focusin", ({ target }) => {
    trail = [];
    for (let element = target; element !== screen; element = element.parentElement) {
      trail.push({ element, neighbours: [element.nextElementSibling, element.previousElementSibling] });
    }
  });
  return () => {
    const isLost = document.activeElement === document.body || isGone(document.activeElement);
    if (!isLost || trail.length === 0 || !isGone(trail[0].element)) return;
    const gone = trail.filter(({ element }) => isGone(element));
    const around = trail.slice(gone.length).map(({ element }) => element);
    for (const element of [...gone.at(-1).neighbours, ...around, screen]) {
      if (!element || !isVisible(element)) continue;
      const place = element.matches(focusable) ? element : [...element.querySelectorAll(focusable)].find(isVisible);
      if (place) return place.focus();
    }
  };
}
