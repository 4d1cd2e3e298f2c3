/** Longer texts are shown as they are. */
export const LONGEST = 50_000;
