/** docs/events.md: the events of a run's stream, from the types that the service writes them with. */
import { join } from 'node:path';
import ts from 'typescript-5';
import type { ChatEvent } from '../../runtime/journal/chat-events.ts';
import { ERRORS } from '../../state/errors.ts';
import { code, page, table } from './markdown.ts';

const ROOT = join(import.meta.dir, '../..');
const FILE = join(ROOT, 'runtime/journal/chat-events.ts');

/** What each event says; its `data` is read from the types. */
const MEANINGS: Record<ChatEvent['event'], string> = {
  run: 'Always the first event.',
  agent:
    'An agent, which is a node of the graph, starts or ends. It starts again with a higher `attempt` if it is retried.',
  token: 'A piece of the text of an agent that answers. Structured output is never streamed.',
  status: "What an agent is doing. With `step` and `state`, a step of the agent's work starts or ends.",
  tool: 'A tool is called or has returned.',
  custom: "What a node passed to LangGraph's writer.",
  interrupt: 'The turn is waiting for a person. There is one event for each question.',
  response:
    'The result of the turn: the same object as the response of `POST /api/v1/chat` without streaming, see [http.md](http.md#post-apiv1chat).',
  error: 'The run failed. It takes the place of `response`; its data is the [body of an error](errors.md).',
  end: 'Always the last event, also after `error`.',
};

/** Another page has their fields. */
const DESCRIBED = new Set(['response', 'error']);

/** Of fields that say it by their names, and have no comment in the code. */
const PLAIN: Record<string, string> = {
  agent: 'The name of the agent, which is a node of the graph.',
  attempt: "Counts from 1. If it is above 1 with `started`, discard the agent's earlier text.",
  calls: 'The model calls of the agent or step; when it ends.',
  data: 'The value that the node passed to the writer.',
  duration_ms: 'The duration in milliseconds; when it ends.',
  error: 'Why it failed.',
  filename: 'The name of the prompt file.',
  input: 'The arguments; when it starts.',
  input_tokens: 'The input tokens of all attempts.',
  interrupt_id: 'Name it in `values` when you resume a thread with several questions.',
  message_id: "The id of the assistant's message that the turn will store.",
  output: 'The result; if it has finished.',
  output_tokens: 'The output tokens of all attempts.',
  parent_task_id: 'The task whose subgraph contains the agent; left out in the root graph.',
  path: 'The names of the nodes whose subgraphs enclose the agent; left out in the root graph.',
  prompts: 'The prompt files that were rendered; when it ends.',
  run_id: 'The id of the run.',
  started_at: 'The time at which it started; when it ends.',
  state: 'Whether it starts, or how it ended.',
  step: "The name of a step of the agent's work.",
  text: 'A chunk of the text or, in `status`, a description of what the agent is doing.',
  thread_id: 'The id of the thread, even if the request did not name one.',
  tool: 'The name of the tool.',
  tool_call_id: "The model's id of the call; null if code called the tool.",
  usage: 'The tokens and the cost of the model calls; when it ends.',
  value: 'The question: what the node passed to `interrupt()`.',
  workflow: 'The name of the workflow.',
};

export function eventsPage(): string {
  const { checker, events } = readTypes();
  const objects = new Map<string, ts.Type>();
  const sections = Object.entries(MEANINGS).map(([name, meaning]) => {
    const data = events.get(name);
    if (!data) throw new Error(`${FILE}: ChatEvent has no event '${name}'`);
    const fields = DESCRIBED.has(name) ? '' : fieldsOf(checker, data, objects);
    return [`## ${name}`, meaning, fields].filter(Boolean).join('\n\n');
  });
  // Iterating over a Map includes entries that are added during the iteration.
  const inner: string[] = [];
  for (const [name, type] of objects) inner.push(`### ${name}\n\n${fieldsOf(checker, type, objects)}`);
  return page('Stream events', INTRODUCTION, ...sections, '## Objects', ...inner);
}

const INTRODUCTION = `The stream of a run has these events, over \`POST /api/v1/chat\` and \`POST /api/v1/threads/{thread_id}/resume\` with
\`"stream": true\`, and over \`GET /api/v1/runs/{run_id}/stream\`. Each has an \`id\`, which counts from 1 without a gap, and \`data\`, one JSON
object. [runs.md](runs.md#streams) explains how to read a stream and how to resume it; [langgraph.md](langgraph.md) and
[connect.md](connect.md) describe the streams of the other protocols. Ignore events and fields that you don't know: later versions may
add some.`;

function readTypes() {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [FILE] }, ts.sys, ROOT);
  const program = ts.createProgram([FILE], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FILE);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find(({ name }) => name === 'ChatEvent');
  const union = symbol && checker.getDeclaredTypeOfSymbol(symbol);
  if (!union?.isUnion()) throw new Error(`${FILE}: ChatEvent is no union of events`);
  const typed = (event: ts.Type, name: string) => {
    const property = event.getProperty(name);
    return property && checker.getTypeOfSymbol(property);
  };
  const events = new Map<string, ts.Type>();
  for (const event of union.types) {
    const [name, data] = [typed(event, 'event'), typed(event, 'data')];
    if (name?.isStringLiteral() && data) events.set(name.value, data);
  }
  return { checker, events };
}

/** Collects objects with names, each of which gets its own table. */
function fieldsOf(checker: ts.TypeChecker, type: ts.Type, objects: Map<string, ts.Type>): string {
  const rows = checker.getPropertiesOfType(type).map((property) => {
    const ofProperty = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    const inner = elementOf(checker, ofProperty);
    if (isNamedObject(inner)) objects.set(inner.symbol.name, inner);
    const text = checker.typeToString(
      checker.getTypeOfSymbol(property),
      undefined,
      ts.TypeFormatFlags.NoTruncation,
    );
    const optional = property.flags & ts.SymbolFlags.Optional ? ', optional' : '';
    const comment = ts.displayPartsToString(property.getDocumentationComment(checker));
    return [code(property.name), typeText(text) + optional, comment || (PLAIN[property.name] ?? '')];
  });
  return rows.length === 0 ? '' : table(['field', 'type', 'meaning'], rows);
}

function typeText(text: string): string {
  const plain = text.replace(/ \| undefined$/, '');
  return plain === CODES ? 'one of the [codes](errors.md#codes)' : code(plain);
}

/** How the compiler writes `ErrorCode`. */
const CODES = Object.keys(ERRORS)
  .map((name) => JSON.stringify(name))
  .join(' | ');

function elementOf(checker: ts.TypeChecker, type: ts.Type): ts.Type {
  if (!checker.isArrayType(type)) return type;
  return checker.getTypeArguments(type as ts.TypeReference)[0] ?? type;
}

function isNamedObject(type: ts.Type): boolean {
  return (type.symbol?.flags & ts.SymbolFlags.Interface) > 0;
}
