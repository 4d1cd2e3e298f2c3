/** What revisions and prompt files may be called, as the service has it. */

export function revisionComplaint(name: string): string | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !name.includes('..')) return undefined;
  return 'Up to 64 letters, digits, dots, hyphens or underscores, with a letter or digit first.';
}

export function fileComplaint(name: string): string | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.(md|jinja|txt)$/.test(name) && !name.includes('..'))
    return undefined;
  return 'Letters, digits, dots, hyphens or underscores, with .jinja, .md or .txt at the end.';
}
