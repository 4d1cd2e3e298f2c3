/** The task `chat`: calls the tools that the person names and quotes their results. Answers anything else as the task `answer`. */

import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { answer } from './answer/answer.ts';
import { STOP_WORDS } from './language/stop-words.ts';
import { clauses, clip, quoted, stems, words } from './language/text.ts';
import { type ChatRequest, lastUserText, type Tool } from './request.ts';
import type { CalledTool } from './wire.ts';

const LONGEST_RESULT = 2_000;

export function chat(request: ChatRequest): string | CalledTool[] {
  const { messages, tools } = request;
  const after = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const results = after.filter(({ role }) => role === 'tool');
  if (results.length > 0) return results.map(quotedResult).join('\n');
  if (tools.length === 0) return answer(request);
  const question = lastUserText(request);
  const named = tools.filter((tool) => isNamed(tool, question));
  const calls = named.flatMap((tool) => callOf(tool, question) ?? []);
  if (calls.length > 0) return calls;
  const names = (some: Tool[]) => quoted(some.map(({ name }) => name));
  if (named.length === 0) return `${answer(request)} I call a tool only where you name it: ${names(tools)}.`;
  return `I cannot take the arguments of ${names(named)} from your words. ${answer(request)}`;
}

function quotedResult({ name = 'tool', text }: ChatRequest['messages'][number]): string {
  return `${name} gave: ${clip(text, LONGEST_RESULT)}`;
}

// Words in names of tools that say nothing about what the tool does.
const FILLERS = new Set(['call', 'do', 'fetch', 'get', 'run', 'tool', 'use']);
const NEGATED = /\b(?:not|never|without|no|don't|doesn't|won't|can't)\b/i;

/** Whether all meaningful words of the tool's name occur in a part of a sentence without negation. */
function isNamed({ name }: Tool, question: string): boolean {
  const all = words(splitWords(name));
  const own = all.filter((word) => !STOP_WORDS.has(word) && !FILLERS.has(word));
  const wanted = stems((own.length > 0 ? own : all).join(' '));
  return clauses(question).some((clause) => {
    const said = new Set(stems(splitWords(clause)));
    return !NEGATED.test(clause) && wanted.every((word) => said.has(word));
  });
}

/** `getWeather` and `get_weather` as words. */
function splitWords(text: string): string {
  return text.replace(/(?<=[a-z0-9])(?=[A-Z])|[_-]+/g, ' ');
}

const Parameters = Type.Object({
  properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  required: Type.Optional(Type.Array(Type.String())),
});
const Property = Type.Object({ type: Type.String(), enum: Type.Optional(Type.Array(Type.String())) });

/** The call with arguments from the question: its numbers in order, and the whole question for a single text. */
function callOf({ name, parameters }: Tool, question: string): CalledTool | undefined {
  if (!Value.Check(Parameters, parameters)) return { name, arguments: '{}' };
  const { properties = {}, required = [] } = parameters;
  const keys = Object.keys(properties);
  const wanted = required.length > 0 ? required : keys.length === 1 ? keys : [];
  const numbers = Array.from(question.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w])/g), ([text]) =>
    Number(text),
  );
  const kinds = wanted.map((key) => properties[key]);
  const texts = kinds.filter((kind) => Value.Check(Property, kind) && kind.type === 'string' && !kind.enum);
  if (texts.length > 1) return undefined;
  const values = kinds.map((kind) =>
    Value.Check(Property, kind) ? valueIn(kind, question, numbers) : undefined,
  );
  if (values.includes(undefined)) return undefined;
  return { name, arguments: JSON.stringify(Object.fromEntries(wanted.map((key, at) => [key, values[at]]))) };
}

/** The value of an argument. Removes a number that it uses from `numbers`. */
function valueIn(
  kind: Static<typeof Property>,
  question: string,
  numbers: number[],
): string | number | undefined {
  if (kind.enum) return kind.enum.find((value) => words(question).includes(value.toLowerCase()));
  if (kind.type === 'string') return question;
  if (kind.type !== 'number' && kind.type !== 'integer') return undefined;
  const [next] = numbers;
  if (kind.type === 'integer' && !Number.isInteger(next)) return undefined;
  return numbers.shift();
}
