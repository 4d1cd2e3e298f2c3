/** Checks the names of revisions and prompt files by the service's rules. Returns undefined for valid names. */

export function revisionNameProblem(name: string): string | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !name.includes('..')) return undefined;
  return 'Use up to 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit.';
}

export function fileNameProblem(name: string): string | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.(md|jinja|txt)$/.test(name) && !name.includes('..'))
    return undefined;
  return 'Use letters, digits, dots, hyphens or underscores, ending in .jinja, .md or .txt.';
}
