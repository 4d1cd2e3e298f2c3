/** Calculates expressions with + - * / and parentheses. They are parsed by hand, so that no code in a message is ever run. */

const LONGEST_SENTENCE = 240;
const ASKS =
  /^(?:(?:and |so |please )*(?:what is|what's|whats|how much is|how much are|calculate|compute|solve|evaluate|work out))\s+/i;

/**
 * `12 * 7 = 84.` if the sentence asks for a calculation; undefined for anything else, and for numbers that are too large to be
 * exact.
 */
export function calculate(sentence: string): string | undefined {
  if (sentence.length > LONGEST_SENTENCE) return undefined;
  const trimmed = sentence.trim();
  const expression = trimmed.replace(ASKS, '').replace(/[\s=?.!]+$/, '');
  if (!/^[\d\s.,+\-−*/×÷x()]+$/.test(expression)) return undefined;
  const isAsked = ASKS.test(trimmed) || /[=?]\s*$/.test(trimmed) || /[+*×÷]|\d\s+[-−/]\s+\d/.test(expression);
  const tokens = tokenise(expression);
  if (!isAsked || !tokens?.some((token) => typeof token === 'string' && token !== '(')) return undefined;
  const result = evaluate(tokens);
  if (result === undefined) return undefined;
  const shown = expression.replace(/\s+/g, ' ').trim();
  if (!Number.isFinite(result)) return `${shown} has no result: nothing can be divided by zero.`;
  return `${shown} ${format(result)}.`;
}

type Token = number | '+' | '-' | '*' | '/' | '(' | ')';

const SIGNS: Record<string, Token> = {
  '+': '+',
  '-': '-',
  '−': '-',
  '*': '*',
  '×': '*',
  x: '*',
  '/': '/',
  '÷': '/',
  '(': '(',
  ')': ')',
};

function tokenise(expression: string): Token[] | undefined {
  const parts = expression.match(/\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|[^\s]/g) ?? [];
  const tokens: Token[] = [];
  for (const part of parts) {
    const token = SIGNS[part] ?? Number(part.replaceAll(',', ''));
    if (
      typeof token === 'number' &&
      (Number.isNaN(token) || token > Number.MAX_SAFE_INTEGER || !/\d/.test(part))
    )
      return undefined;
    tokens.push(token);
  }
  return tokens;
}

/**
 * A recursive-descent parser: sum = product (+|- product)*, product = factor (*|/ factor)*. Undefined for invalid expressions.
 */
function evaluate(tokens: Token[]): number | undefined {
  let at = 0;
  const sum = (): number | undefined => {
    let left = product();
    while (left !== undefined && (tokens[at] === '+' || tokens[at] === '-')) {
      const sign = tokens[at++] === '+' ? 1 : -1;
      const right = product();
      left = right === undefined ? undefined : left + sign * right;
    }
    return left;
  };
  const product = (): number | undefined => {
    let left = factor();
    while (left !== undefined && (tokens[at] === '*' || tokens[at] === '/')) {
      const isTimes = tokens[at++] === '*';
      const right = factor();
      left = right === undefined ? undefined : isTimes ? left * right : left / right;
    }
    return left;
  };
  const factor = (): number | undefined => {
    const token = tokens[at++];
    if (typeof token === 'number') return token;
    if (token === '-') {
      const value = factor();
      return value === undefined ? undefined : -value;
    }
    if (token !== '(') return undefined;
    const inner = sum();
    return tokens[at++] === ')' ? inner : undefined;
  };
  const result = sum();
  if (result === undefined || at !== tokens.length) return undefined;
  return Math.abs(result) > Number.MAX_SAFE_INTEGER && Number.isFinite(result) ? undefined : result;
}

/**
 * Rounds to twelve digits, which hides binary rounding (0.1 + 0.2 is 0.3). A result with all twelve digits is only approximate.
 */
function format(result: number): string {
  if (Number.isInteger(result)) return `= ${result || 0}`;
  const rounded = Number(result.toPrecision(12));
  const digits = String(rounded)
    .replace(/e.*$/, '')
    .replace(/^-?0\.0*|\D/g, '').length;
  return `${digits >= 12 ? '≈' : '='} ${rounded}`;
}
