/** Tests that need a missing program are skipped, but fail with CI=true. */

/** Prints what to install. Throws with CI=true, where a skip would hide that nothing was tested. */
export function reportMissing(program: string, install: string): void {
  const text = `${program} not found; install it with: ${install}`;
  if (process.env.CI === 'true') throw new Error(text);
  console.log(`SKIPPED: ${text}`);
}
