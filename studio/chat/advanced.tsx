/** What a turn may ask beside its input: the graph's context and configuration, where to stop, and how far to go. */
import type { Workflow } from '../data/workflows.ts';
import { JsonField } from '../parts/json-field.tsx';
import { type JsonProblem, readJson } from '../parts/json-text.ts';
import { SchemaFields } from './schema-fields.tsx';
import type { TurnRequest } from './turn-request.ts';

/** As it is typed. */
export interface AdvancedText {
  context: string;
  configurable: string;
  interruptBefore: string;
  recursionLimit: string;
}

export const NOTHING_ADVANCED: AdvancedText = {
  context: '',
  configurable: '',
  interruptBefore: '',
  recursionLimit: '',
};

export type AdvancedProblems = Partial<Record<'context' | 'configurable', JsonProblem>>;

/** The part of the request, and what is wrong with it. */
export function readAdvanced(text: AdvancedText): { request: TurnRequest; problems: AdvancedProblems } {
  const request: TurnRequest = {};
  const problems: AdvancedProblems = {};
  for (const name of ['context', 'configurable'] as const) {
    if (text[name].trim() === '') continue;
    const read = readObject(text[name]);
    if (read.problem) problems[name] = read.problem;
    else request[name] = read.value;
  }
  const nodes = text.interruptBefore.split(',').map((name) => name.trim());
  const named = nodes.filter((name) => name !== '');
  if (named.length > 0) request.interrupt_before = named.includes('*') ? '*' : named;
  if (text.recursionLimit !== '') request.recursion_limit = Number(text.recursionLimit);
  return { request, problems };
}

function readObject(
  text: string,
): { value: Record<string, unknown>; problem?: undefined } | { problem: JsonProblem } {
  const read = readJson(text);
  if (read.problem) return read;
  const isObject = typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value);
  if (isObject) return { value: read.value as Record<string, unknown> };
  return { problem: { message: 'It must be an object: {"name": value}.', at: text.search(/\S/) } };
}

interface AdvancedFieldsProps {
  entry: Workflow | undefined;
  text: AdvancedText;
  change(text: AdvancedText): void;
  problems: AdvancedProblems;
}

export function AdvancedFields({ entry, text, change, problems }: AdvancedFieldsProps) {
  const json = (name: 'context' | 'configurable', schema?: unknown) => (
    <JsonField
      label={<code>{name}</code>}
      hint={<SchemaFields schema={schema} />}
      rows={2}
      placeholder="{}"
      text={text[name]}
      change={(typed) => change({ ...text, [name]: typed })}
      problem={problems[name]}
    />
  );
  return (
    <fieldset className="advanced" aria-label="Advanced">
      {json('context', entry?.context_schema)}
      {json('configurable')}
      <label className="labelled">
        <code>interrupt_before</code>
        <input
          className="field mono"
          placeholder="nodes, or *"
          value={text.interruptBefore}
          onChange={(event) => change({ ...text, interruptBefore: event.target.value })}
        />
      </label>
      <label className="labelled">
        <code>recursion_limit</code>
        <input
          className="field mono"
          type="number"
          min={1}
          placeholder="as the graph has it"
          value={text.recursionLimit}
          onChange={(event) => change({ ...text, recursionLimit: event.target.value })}
        />
      </label>
    </fieldset>
  );
}
