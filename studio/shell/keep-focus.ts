/** Keeps the keyboard focus in place: if the focused element is removed, hidden or disabled, a neighbour gets the focus. */

const FOCUSABLE =
  ':is(a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"], [contenteditable="true"]):not([tabindex="-1"])';

let focused: HTMLElement | undefined;
/** A live range at the focused element. Browsers move it to the parent when the element is removed. */
let place: Range | undefined;
let path = '';
let isScheduled = false;

export function keepFocus(): void {
  addEventListener('focusin', remember);
  // A click outside of all controls removes the focus on purpose.
  addEventListener('pointerdown', forget, { capture: true });
  addEventListener('pointerup', remember, { capture: true });
  new MutationObserver(schedule).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled', 'hidden', 'style'],
  });
}

function remember(): void {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || active === document.body) return;
  focused = active;
  place = document.createRange();
  place.setStartBefore(active);
  place.collapse(true);
  path = location.pathname;
}

function forget(): void {
  focused = undefined;
}

/** Restores the focus in the next frame, after components that move the focus themselves. */
function schedule(): void {
  if (isScheduled || !focused) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    restore();
  });
}

function restore(): void {
  const active = document.activeElement;
  // Chrome only removes the focus from a disabled or hidden element after the frame.
  if (!focused || !place || (active !== document.body && active !== focused)) return;
  if (isUsable(focused)) {
    // An element loses the focus when it is moved.
    if (active !== focused) focused.focus({ preventScroll: true });
    return;
  }
  const hasLeft = path !== location.pathname;
  (hasLeft ? document.getElementById('main') : neighbour(place))?.focus({ preventScroll: true });
}

/**
 * Returns the next control in the nearest ancestor that has any, or the last one if none follows. Returns the main part of the
 * page if that ancestor contains it: after a log-in, the first control would be the link that skips the navigation.
 */
function neighbour(at: Range): HTMLElement | undefined {
  const container = at.startContainer;
  let box = container instanceof HTMLElement ? container : container.parentElement;
  for (; box; box = box.parentElement) {
    const main = box.id === 'main' ? box : box.querySelector<HTMLElement>('#main');
    if (main) return main;
    const controls = [...box.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(isUsable);
    const next = controls.find((control) => at.comparePoint(control, 0) > 0);
    if (next ?? controls.at(-1)) return next ?? controls.at(-1);
  }
  return undefined;
}

function isUsable(element: HTMLElement): boolean {
  return (
    element.isConnected &&
    !element.matches(':disabled') &&
    element.checkVisibility({ visibilityProperty: true })
  );
}
