/** The template language: valid templates render within the limits, and invalid ones are rejected with their position. */
import { expect } from 'bun:test';
import fc from 'fast-check';
import { costOf, shapeOf } from '../../prompts/templates/cost.ts';
import { TemplateFailure } from '../../prompts/templates/failure.ts';
import { LIMITS } from '../../prompts/templates/limits.ts';
import { type Program, parseTemplate } from '../../prompts/templates/parse.ts';
import { renderTemplate } from '../../prompts/templates/render.ts';
import { tagsOf } from '../../prompts/templates/tags.ts';
import { neededVariables } from '../../prompts/templates/undefined.ts';
import { anyOrder, anyText, edited, property } from '../support/property.ts';

const PIECES = [
  ...['{{ ', ' }}', '{% ', ' %}', '{# ', ' #}', '{{-', '-}}', '{%- ', ' -%}', '{', '}', '%', '#'],
  ...[
    'a',
    'b',
    'items',
    'loop',
    'loop.index',
    'range',
    'true',
    'none',
    '1',
    '100000',
    '-1',
    "'x'",
    '"y"',
    "'",
  ],
  ...[
    ' | ',
    'upper',
    'join',
    'length',
    'tojson',
    'replace',
    'indent',
    'default',
    'unknown',
    'first',
    'dictsort',
  ],
  ...[
    'if ',
    'elif ',
    'else',
    'endif',
    'for ',
    ' in ',
    'endfor',
    'set ',
    ' = ',
    'macro m()',
    'endmacro',
    'm()',
    'filter ',
  ],
  ...[
    '.',
    '[',
    ']',
    '(',
    ')',
    ':',
    ',',
    '+',
    '*',
    '~',
    '==',
    ' is ',
    'defined',
    ' not ',
    ' and ',
    '\n',
    ' ',
    'text',
  ],
];
const SOUND = [
  'Hello {{ a }}!',
  '{% for x in items %}{{ loop.index }}: {{ x | upper }}{% if not loop.last %}, {% endif %}{% endfor %}',
  "{% if a is defined and b == 'x' %}{{ items | join(', ') }}{% else %}{{ b | default('none') }}{% endif %}",
  "{% set c = a ~ b %}{{ c | replace('a', 'aa') | indent(4) }}{# note #}",
  '{% for x in range(100) %}{% for y in range(100) %}{{ a }}{% endfor %}{% endfor %}',
  '{{ items | tojson }} {{ items[0].name }} {{ (1 + 2) * 3 }}',
];
const template = fc.oneof(
  edited(fc.constantFrom(...SOUND), PIECES),
  edited(anyOrder(SOUND, 4), PIECES),
  anyOrder(PIECES),
  anyText,
);
const variables = fc.record(
  {
    a: fc.oneof(fc.string(), fc.jsonValue()),
    b: fc.jsonValue(),
    items: fc.oneof(fc.array(fc.oneof(fc.string(), fc.record({ name: fc.string() }))), fc.jsonValue()),
  },
  { requiredKeys: [] },
);

/** On slow machines, more time passes between two checks of the clock, so only check that rendering stops. */
const SLOW_MS = 20 * LIMITS.milliseconds;

function parsed(text: string): Program | undefined {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    const [, line, column] = /^line (\d+), column (\d+): ./.exec(error.message) ?? [];
    if (line === undefined) return undefined;
    const found = text.split('\n')[Number(line) - 1];
    expect(found).toBeDefined();
    expect(Number(column)).toBeWithin(1, [...(found ?? '')].length + 2);
    return undefined;
  }
}

property(
  'a template renders within its limits, or is rejected with the position',
  [template, variables],
  (text, variables) => {
    const program = parsed(text);
    if (!program) return;
    expect(costOf(shapeOf(program), variables)).toBeGreaterThan(0);
    const started = performance.now();
    try {
      expect(renderTemplate(program, variables).length).toBeLessThanOrEqual(LIMITS.size);
    } catch (error) {
      if (!(error instanceof TemplateFailure)) throw error;
    }
    expect(performance.now() - started).toBeLessThan(SLOW_MS);
  },
);

property('text without tags is rendered unchanged, without a line break at its end', [anyText], (text) => {
  fc.pre(!/\{[%{#]/.test(text) && !/\s{500}/.test(text));
  // As in Jinja, whose default is the same.
  expect(renderTemplate(parseTemplate(text), {})).toBe(text.replace(/\n$/, ''));
});

property(
  'a template that gets all the variables it needs has no undefined variables',
  [template, variables],
  (text, variables) => {
    const program = parsed(text);
    if (!program) return;
    const needed = neededVariables(program);
    const all = { ...Object.fromEntries([...needed].map((name) => [name, 'x'])), ...variables };
    try {
      renderTemplate(program, all);
    } catch (error) {
      if (!(error instanceof TemplateFailure)) throw error;
      const [, missing] = /the variable '([A-Za-z_]\w*)' is undefined/.exec(error.message) ?? [];
      if (missing !== undefined) expect(needed).not.toContain(missing);
    }
  },
);

property(
  'the range of each tag is the text between its delimiters, in order and without overlap',
  [template],
  (text) => {
    let end = 0;
    for (const tag of tagsOf(text)) {
      expect(tag.start).toBeGreaterThanOrEqual(end);
      expect(text.slice(tag.start, tag.end)).toBe(tag.text);
      expect(text.slice(end, tag.start)).not.toMatch(/\{[%{#]/);
      end = tag.end;
    }
    expect(text.slice(end)).not.toMatch(/\{[%{#]/);
  },
);
