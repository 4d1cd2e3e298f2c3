/** Explains why a step of a template failed, in the terms of its author instead of the engine's. */

const TYPES: Record<string, string> = {
  StringValue: 'a text',
  IntegerValue: 'a number',
  FloatValue: 'a number',
  NumericValue: 'a number',
  BooleanValue: 'true or false',
  ArrayValue: 'a list',
  TupleValue: 'a list',
  ObjectValue: 'an object',
  KeywordArgumentsValue: 'named arguments',
  FunctionValue: 'a function',
  NullValue: 'none',
  UndefinedValue: 'undefined',
};

const SENTENCES: [RegExp, (...parts: string[]) => string][] = [
  [
    /^Unknown (\w+Value) filter: (\w+)$/,
    (type, name) => `the filter '${name}' cannot be used on ${wordOf(type)}`,
  ],
  [
    /^Cannot apply filter "(\w+)" to type: (\w+)$/,
    (name, type) => `the filter '${name}' cannot be used on ${wordOf(type)}`,
  ],
  [/^Unknown test: (\w+)$/, (name) => `there is no test '${name}'`],
  [
    /^Expected iterable or object type in for loop: got (\w+)$/,
    (type) => `a for loop takes a list or an object, not ${wordOf(type)}`,
  ],
  [/^'(\w+)' object is not iterable$/, (type) => `a list is expected, not ${wordOf(type)}`],
  [
    /^Unknown operator "(.+)" between (\w+) and (\w+)$/,
    (sign, a, b) => `'${sign}' cannot be used between ${wordOf(a)} and ${wordOf(b)}`,
  ],
  [/^Cannot compare (?:type: )?(\w+)$/, (type) => `${wordOf(type)} cannot be compared`],
  [/^Cannot compare (\w+) with (\w+)$/, (a, b) => `${wordOf(a)} cannot be compared with ${wordOf(b)}`],
  [
    /^Cannot compare different types: (\w+) and (\w+)$/,
    (a, b) => `${wordOf(a)} cannot be compared with ${wordOf(b)}`,
  ],
  [
    /^Cannot perform operation (\S+) on undefined values$/,
    (sign) => `'${sign}' is used on something undefined`,
  ],
  [/^Cannot perform operation on null values$/, () => 'an operation is used on none'],
];

/** Of an error that the engine threw. */
export function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply or too large';
  if (error instanceof TypeError || !(error instanceof Error)) return 'a step failed';
  const message = error.message.replaceAll(/\s+/g, ' ').slice(0, 200);
  for (const [pattern, sentence] of SENTENCES) {
    const found = pattern.exec(message);
    if (found) return sentence(...found.slice(1));
  }
  return message.replaceAll(/\b\w+Value\b/g, wordOf);
}

function wordOf(type = ''): string {
  return Object.hasOwn(TYPES, type) ? (TYPES[type] ?? type) : type;
}
