/** A program that tests need and this machine lacks: they are skipped, but fail where CI=true. */

/** Prints what to install. Throws with CI=true: a skip there would hide that nothing was tested. */
export function reportMissing(program: string, install: string): void {
  const text = `${program} not found; install it with: ${install}`;
  if (process.env.CI === 'true') throw new Error(text);
  console.log(`SKIPPED: ${text}`);
}
