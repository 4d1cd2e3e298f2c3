/** The length in characters up to which texts are formatted. */
export const MAX_FORMATTED = 50_000;
