/** Who is asking. */

/** The owner of what the request makes. Without authentication everybody is the same. */
export function ownerOf(_request: Request): string {
  return 'anonymous';
}
