/** Converts a provider's error message to a form for logs and responses: one line without keys. */

const MAX_CHARACTERS = 500;

/** Undefined for an empty message and for a web page. `secret` is the API key. */
export function providerWords(text: unknown, secret?: string): string | undefined {
  if (typeof text !== 'string' || /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text)) return undefined;
  // Redact before truncating, so that no part of a key remains. Text far beyond the limit is not read.
  const line = redacted(text.slice(0, MAX_CHARACTERS * 8), secret)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
  if (line === '' || line === REDACTED) return undefined;
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…`;
}

const REDACTED = '[redacted]';
// Keys in common formats, which the provider may have masked partly, and values after a name such as `api_key`.
const KEYS = [
  /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|AIza|ghp|key)[-_*][\w*.-]{4,}/gi,
  /\bAIza[\w*.-]{8,}/g,
  /\bBearer\s+[^\s"',]+/gi,
  /(?<=\b(?:api[-_ ]?key|token|secret|password)["']?\s*(?:provided\s*)?[:=]\s*["']?)[^\s"',]{6,}/gi,
  /(?<=:\/\/)[^\s/@:]+:[^\s/@]+(?=@)/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g,
];
const SHORTEST_SECRET = 6;
// Text that begins with this many characters of the secret is redacted, too.
const SHOWN_PART = 12;

function redacted(text: string, secret: string | undefined): string {
  const plain = KEYS.reduce((rest, key) => rest.replace(key, REDACTED), withoutSecret(text, secret));
  return plain.replaceAll(`${REDACTED}${REDACTED}`, REDACTED);
}

function withoutSecret(text: string, secret = ''): string {
  if (secret.length < SHORTEST_SECRET) return text;
  return formsOf(secret).reduce((rest, form) => {
    const begun = RegExp.escape(form.slice(0, SHOWN_PART));
    return rest.replaceAll(form, REDACTED).replace(new RegExp(`${begun}[^\\s"',]*`, 'g'), REDACTED);
  }, text);
}

/** The secret, and the forms in which it may be encoded in a message. */
function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((before) => base64Of(secret, before));
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(forms)];
}

/**
 * The part of the base64 text that is independent of the bytes around the secret. `before`: the number of bytes before it,
 * modulo 3.
 */
function base64Of(secret: string, before: number): string {
  const text = Buffer.from(' '.repeat(before) + secret).toString('base64');
  const start = before === 0 ? 0 : before + 1;
  return text.slice(start, text.endsWith('=') ? text.indexOf('=') - 1 : undefined);
}
