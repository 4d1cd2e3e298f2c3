/** Values for a preview: the variables that a template reads, with samples of the expected shape. */
import { expect, test } from 'bun:test';
import { sampleVariables } from '../../studio/prompts/preview/sample-variables.ts';

const CASES: [string, string, Record<string, unknown>][] = [
  ['nothing', 'Plain text, with { braces }.', {}],
  ['a value', '{{ name }}', { name: 'name' }],
  ['parts of an object', '{{ a.b }} {{ a.c.d }}', { a: { b: 'a b', c: { d: 'a c d' } } }],
  [
    'a list of objects',
    '{% for one in things %}{{ one.name }}{{ loop.index }}{% endfor %}',
    { things: [{ name: 'things name' }] },
  ],
  ['a list of texts', '{%- for one in things -%}{{ one }}{% endfor %}', { things: ['things'] }],
  ['the variables of a condition', "{% if a and not b == 'c' %}{% endif %}", { a: 'a', b: 'b' }],
  [
    'no filters and no tests',
    '{{ a | upper | default("x") }}{% if b is defined %}{% endif %}',
    { a: 'a', b: 'b' },
  ],
  ['no local names', '{% set x = y %}{{ x }}{% macro m(p) %}{{ p }}{% endmacro %}{{ m(1) }}', { y: 'y' }],
  [
    'nothing in strings, comments and raw blocks',
    '{{ "a b" ~ \'c\' }}{# {{ d }} #}{% raw %}{{ e }}{% endraw %}',
    {},
  ],
];

for (const [name, template, wanted] of CASES) {
  test(`finds ${name}`, () => {
    expect(sampleVariables(template)).toEqual(wanted);
  });
}

test('a text that consists of tag beginnings is parsed quickly', () => {
  for (const part of ['{{', '{%', '{#', '{% if {{ ', '"{{ "', '{{ a }', '{{ ('])
    expect(sampleVariables(part.repeat(64_000 / part.length))).toBeObject();
});
