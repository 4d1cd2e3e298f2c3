/** Rejects constructs: unknown names, and steps that could need or produce much more than their input. */
import { Environment } from '@huggingface/jinja';
import { LIMITS } from './limits.ts';

export interface Construct {
  type: string;
  value: string;
}

/** Why a tag is rejected; undefined if it is valid. */
export function refusedConstruct(tokens: readonly Construct[]): string | undefined {
  for (const [index, { type, value }] of tokens.entries()) {
    if (type !== 'Identifier') continue;
    const unknown = unknownName(tokens, index);
    if (unknown) return unknown;
    if (REFUSED.includes(value)) return `'${value}' is not supported`;
    const rest = tokens.slice(index + 1, index + 6);
    if (rest[0]?.type !== 'OpenParen') continue;
    const reason = refusedCall(value, rest.slice(1));
    if (reason) return reason;
  }
  return undefined;
}

/** A filter follows `|` or `filter`, a test `is` or `is not`. The library resolves them only when it renders. */
function unknownName(tokens: readonly Construct[], index: number): string | undefined {
  const value = tokens[index]?.value ?? '';
  const [beforeThat, before] = [tokens[index - 2], tokens[index - 1]];
  const blockFilter = before?.value === 'filter' && beforeThat?.type === 'OpenStatement';
  if ((before?.type === 'Pipe' || blockFilter) && !FILTERS.has(value))
    return `unknown filter '${value.slice(0, 100)}'`;
  const isOperator = (at: number) =>
    tokens[at]?.value === 'is' && OPERANDS_END.test(tokens[at - 1]?.type ?? '');
  const asks = isOperator(index - 1) ? value !== 'not' : before?.value === 'not' && isOperator(index - 2);
  if (asks && !TESTS.has(value)) return `unknown test '${value.slice(0, 100)}'`;
  return undefined;
}

// All of the library's, for every type of value.
const FILTERS = new Set(
  [
    'abs bool capitalize default dictsort first float get indent int items join keys last length list lower map',
    'rejectattr replace reverse safe selectattr sort string title tojson trim unique upper values',
  ].flatMap((names) => names.split(' ')),
);
const TESTS: ReadonlySet<string> = new Set(new Environment().tests.keys());
/** Tokens before `is` that aren't names. */
const OPERANDS_END = /^(Identifier|.*Literal|Close(Paren|SquareBracket|CurlyBracket))$/;

// A namespace is the only mutable value: it could contain itself.
const REFUSED = ['namespace', 'strftime_now', 'raise_exception'];

/** Filters and methods that repeat their arguments accept only short literals. */
function refusedCall(name: string, [first, second, third]: readonly Construct[]): string | undefined {
  if (name === 'replace') {
    const written = isShort(first) && second?.type === 'Comma' && isShort(third);
    return written
      ? undefined
      : `'replace' requires two string literals of at most ${LIMITS.repeated} characters`;
  }
  if (name === 'join')
    return first?.type === 'CloseParen' || isShort(first)
      ? undefined
      : `'join' requires a string literal of at most ${LIMITS.repeated} characters`;
  if (name === 'tojson' || name === 'indent') {
    return first?.type === 'CloseParen' ? undefined : `'${name}' takes no arguments`;
  }
  return undefined;
}

function isShort(token: Construct | undefined): boolean {
  return token?.type === 'StringLiteral' && token.value.length <= LIMITS.repeated;
}
