/** If-None-Match: whether a client already has what it asks for. */

/** True if the header names the tag, which is quoted and strong. A weak tag of the header matches too. */
export function isKnown(request: Request, etag: string): boolean {
  const given = request.headers.get('if-none-match');
  if (given?.trim() === '*') return true;
  return given?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false;
}
