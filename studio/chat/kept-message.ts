/** What is written and not sent yet, by conversation: kept in this tab over a reload and a log-in. */

const keyOf = (place: string) => `skein.message.${place}`;

export function keptMessage(place: string): string | undefined {
  return sessionStorage.getItem(keyOf(place)) ?? undefined;
}

export function keepMessage(place: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(place));
    else sessionStorage.setItem(keyOf(place), text);
  } catch {
    // The tab has no room for it. It stands in the composer.
  }
}
