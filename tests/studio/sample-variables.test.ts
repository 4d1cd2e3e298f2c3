/** Values for a preview: what a template reads, with samples of the shape that it reads it in. */
import { expect, test } from 'bun:test';
import { sampleVariables } from '../../studio/prompts/sample-variables.ts';

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
  ['what a condition asks', "{% if a and not b == 'c' %}{% endif %}", { a: 'a', b: 'b' }],
  [
    'no filters and no tests',
    '{{ a | upper | default("x") }}{% if b is defined %}{% endif %}',
    { a: 'a', b: 'b' },
  ],
  [
    'no names of its own',
    '{% set x = y %}{{ x }}{% macro m(p) %}{{ p }}{% endmacro %}{{ m(1) }}',
    { y: 'y' },
  ],
  ['no words of strings', '{{ "a b" ~ \'c\' }}{# {{ d }} #}{% raw %}{{ e }}{% endraw %}', {}],
];

for (const [name, template, wanted] of CASES) {
  test(`of ${name}`, () => {
    expect(sampleVariables(template)).toEqual(wanted);
  });
}

test('a text that is all beginnings of tags takes no time to speak of', () => {
  for (const part of ['{{', '{%', '{#', '{% if {{ ', '"{{ "', '{{ a }', '{{ ('])
    expect(sampleVariables(part.repeat(64_000 / part.length))).toBeObject();
});
