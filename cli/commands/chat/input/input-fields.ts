/** The fields of a workflow's input schema: the question for each, and the parser of the answer. */
import type { JsonSchema } from '../../../../graphs/adoption/schemas/graph-schemas.ts';

export interface Field {
  name: string;
  description: string | undefined;
  /** The accepted values, such as `integer, default 3`. */
  says: string;
  isRequired: boolean;
  /** Throws an Error that names the expected value. */
  read(words: string): unknown;
}

/** Empty if the schema names no field. */
export function fieldsOf({ properties = {}, required = [] }: JsonSchema): Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const { default: usual, description } = schema;
    const kind = kindOf(schema);
    const extra = usual !== undefined ? [`default ${JSON.stringify(usual)}`] : isRequired ? [] : ['optional'];
    return {
      name,
      description: typeof description === 'string' ? description : undefined,
      says: [kind.says, ...extra].join(', '),
      isRequired: isRequired && usual === undefined,
      read: kind.read,
    };
  });
}

type Kind = Pick<Field, 'says' | 'read'>;

function kindOf({ type, enum: values, const: only }: JsonSchema): Kind {
  const allowed = only !== undefined ? [only] : values;
  if (Array.isArray(allowed)) return choice(allowed);
  const types = Array.isArray(type) ? type : [type];
  const [kind = '', ...others] = types.filter((each) => each !== 'null');
  const known = others.length === 0 && Object.hasOwn(KINDS, String(kind)) ? KINDS[String(kind)] : ANYTHING;
  const { says, read } = known ?? ANYTHING;
  if (!types.includes('null')) return { says, read };
  return { says: `${says} or null`, read: (words) => (words === 'null' ? null : read(words)) };
}

function choice(values: unknown[]): Kind {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const says = texts.join(' | ');
  return {
    says,
    read(words) {
      const at = texts.indexOf(words);
      if (at < 0) throw new Error(`Expected one of ${says}`);
      return values[at];
    },
  };
}

const ANYTHING: Kind = {
  says: 'JSON or text',
  read(words) {
    try {
      return JSON.parse(words);
    } catch {
      return words;
    }
  },
};

const KINDS: Record<string, Kind> = {
  string: { says: 'text', read: (words) => words },
  number: { says: 'number', read: (words) => numberIn(words, Number.isFinite, 'a number') },
  integer: { says: 'integer', read: (words) => numberIn(words, Number.isInteger, 'an integer') },
  boolean: {
    says: 'yes or no',
    read(words) {
      if (/^(y|yes|true)$/i.test(words)) return true;
      if (/^(n|no|false)$/i.test(words)) return false;
      throw new Error('Expected yes or no');
    },
  },
  object: { says: 'object as JSON', read: (words) => jsonIn(words, isObject, 'an object') },
  array: { says: 'list as JSON', read: (words) => jsonIn(words, Array.isArray, 'a list') },
};

function numberIn(words: string, fits: (value: number) => boolean, expected: string): number {
  const value = Number(words);
  if (!fits(value)) throw new Error(`Expected ${expected}`);
  return value;
}

function jsonIn(words: string, fits: (value: unknown) => boolean, expected: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(words);
  } catch {
    throw new Error(`Expected ${expected} as JSON, got invalid JSON`);
  }
  if (!fits(value)) throw new Error(`Expected ${expected} as JSON`);
  return value;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
