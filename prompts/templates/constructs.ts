/** The constructs that are refused: one step of them could take or give much more than it was given. */
import { LIMITS } from './limits.ts';

export interface Construct {
  type: string;
  value: string;
}

/** Why a tag is refused; undefined where it is not. */
export function refusedConstruct(tokens: readonly Construct[]): string | undefined {
  for (const [index, { type, value }] of tokens.entries()) {
    if (type !== 'Identifier') continue;
    if (REFUSED.includes(value)) return `'${value}' is not supported`;
    const rest = tokens.slice(index + 1, index + 6);
    if (rest[0]?.type !== 'OpenParen') continue;
    const reason = refusedCall(value, rest.slice(1));
    if (reason) return reason;
  }
  return undefined;
}

// A namespace is the one value that can change: it could hold itself.
const REFUSED = ['namespace', 'strftime_now', 'raise_exception'];

/** Filters and methods that put their arguments in many times take short, written ones. */
function refusedCall(name: string, [first, second, third]: readonly Construct[]): string | undefined {
  if (name === 'replace') {
    const written = isShort(first) && second?.type === 'Comma' && isShort(third);
    return written ? undefined : `'replace' takes two written texts of at most ${LIMITS.repeated} characters`;
  }
  if (name === 'join')
    return first?.type === 'CloseParen' || isShort(first)
      ? undefined
      : `'join' takes a written text of at most ${LIMITS.repeated} characters`;
  if (name === 'tojson' || name === 'indent') {
    return first?.type === 'CloseParen' ? undefined : `'${name}' takes no arguments`;
  }
  return undefined;
}

function isShort(token: Construct | undefined): boolean {
  return token?.type === 'StringLiteral' && token.value.length <= LIMITS.repeated;
}
