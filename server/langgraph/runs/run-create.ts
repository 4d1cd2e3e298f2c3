/** The schema of LangGraph's run requests, and their conversion to requests of the runtime. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ProtocolRunRequest } from '../../../runtime/intake/protocol-run.ts';
import { SkeinError } from '../../../state/errors.ts';
import { expected } from '../../../state/schema/expected.ts';
import {
  type ProtocolRequest,
  type RunCommand,
  STREAM_MODES,
  type StreamMode,
} from '../../../state/threads/runs.ts';
import type { FoundAssistant } from '../assistants/find-assistant.ts';
import { JsonObject } from '../json-object.ts';

const optional = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const literals = <const Names extends string[]>(...names: Names) =>
  Type.Union(names.map((name) => Type.Literal(name as Names[number])));

const Nodes = Type.Union([Type.Literal('*'), Type.Array(Type.String(), { maxItems: 1000 })]);

const Checkpoint = Type.Object(
  {
    checkpoint_id: optional(Type.String({ maxLength: 200 })),
    checkpoint_ns: optional(Type.String({ maxLength: 10_000 })),
    checkpoint_map: optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: true },
);

const Goto = Type.Union([
  Type.String(),
  Type.Object({ node: Type.String(), input: Type.Optional(Type.Unknown()) }),
]);

export const Command = Type.Object(
  {
    resume: Type.Optional(Type.Unknown()),
    update: optional(Type.Union([JsonObject, Type.Array(Type.Tuple([Type.String(), Type.Unknown()]))])),
    goto: optional(Type.Union([Goto, Type.Array(Goto)])),
  },
  { additionalProperties: true },
);

const Config = Type.Object(
  {
    tags: optional(Type.Array(Type.String(), { maxItems: 100 })),
    recursion_limit: optional(Type.Integer({ minimum: 1 })),
    configurable: optional(JsonObject),
    metadata: optional(JsonObject),
  },
  { additionalProperties: true },
);

export const RunCreate = Type.Object(
  {
    assistant_id: Type.String({
      minLength: 1,
      description: 'The id of an assistant, or the name of a graph',
    }),
    input: Type.Optional(Type.Unknown()),
    command: optional(Command),
    checkpoint: optional(Checkpoint),
    checkpoint_id: optional(Type.String({ maxLength: 200 })),
    metadata: optional(JsonObject),
    config: optional(Config),
    context: optional(JsonObject),
    interrupt_before: optional(Nodes),
    interrupt_after: optional(Nodes),
    stream_mode: optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 100 })])),
    stream_subgraphs: optional(Type.Boolean()),
    stream_resumable: optional(Type.Boolean()),
    webhook: optional(Type.String({ maxLength: 2000 })),
    on_disconnect: optional(literals('cancel', 'continue')),
    // The JavaScript client sends `complete` for `delete`, and `continue` for `keep`.
    on_completion: optional(literals('delete', 'keep', 'complete', 'continue')),
    multitask_strategy: optional(literals('reject', 'enqueue', 'interrupt', 'rollback')),
    if_not_exists: optional(literals('reject', 'create')),
    after_seconds: optional(Type.Number({ minimum: 0 })),
  },
  { title: 'LangGraphRunCreate', additionalProperties: true },
);
export type RunCreate = Static<typeof RunCreate>;

export interface RunContext {
  owner: string;
  threadId: string;
  assistant: FoundAssistant;
  /** The metadata that runs inherit from their thread. */
  threadMetadata: Record<string, unknown>;
  temporary: boolean;
  identity: Record<string, unknown>;
  headers: Record<string, string>;
  requestId: string;
  traceparent: string | undefined;
}

/** Merges the request with the assistant's defaults; the request takes precedence. Throws INVALID_REQUEST. */
export function runRequest(body: RunCreate, run: RunContext): ProtocolRunRequest {
  const { owner, threadId, assistant, threadMetadata, temporary, headers } = run;
  const config = { ...assistant.config, ...body.config } as Static<typeof Config>;
  const defaults = (assistant.config as Static<typeof Config>).configurable ?? {};
  const { checkpoint_id, checkpoint_ns, checkpoint_map, ...configurable } = {
    ...defaults,
    ...body.config?.configurable,
  };
  const reference = checkedReference({ checkpoint_id, checkpoint_ns, checkpoint_map });
  const checkpoint = checkpointOf({
    checkpoint_id: body.checkpoint_id ?? null,
    ...dropNulls(reference),
    ...body.checkpoint,
  });
  const context = { ...assistant.context, ...body.context };
  return {
    ...{ owner, threadId, workflow: assistant.graphId, assistantId: assistant.assistantId, temporary },
    ...{ identity: run.identity, requestId: run.requestId, traceparent: run.traceparent },
    metadata: { ...assistant.metadata, ...threadMetadata, ...config.metadata, ...body.metadata },
    strategy: body.multitask_strategy ?? 'enqueue',
    input: body.input,
    configurable: { ...headers, ...configurable },
    streamModes: parseStreamModes(body.stream_mode),
    streamSubgraphs: body.stream_subgraphs ?? false,
    ...(Object.keys(context).length > 0 && { context }),
    ...(body.command && { command: toRunCommand(body.command) }),
    ...(checkpoint && { checkpoint }),
    ...(config.tags && { tags: config.tags }),
    ...(config.recursion_limit && { recursionLimit: config.recursion_limit }),
    ...(body.interrupt_before && { interruptBefore: body.interrupt_before }),
    ...(body.interrupt_after && { interruptAfter: body.interrupt_after }),
    ...(body.after_seconds && { afterSeconds: body.after_seconds }),
    ...(body.webhook && { webhook: body.webhook }),
  };
}

/** Ignores unknown modes, because clients of other versions may send them. The default is `values`. */
export function parseStreamModes(modes: RunCreate['stream_mode']): StreamMode[] {
  const names = [modes ?? []].flat();
  const supported = STREAM_MODES.filter((mode) => names.includes(mode));
  return supported.length > 0 ? supported : ['values'];
}

/** A single `goto` becomes a list. */
export function toRunCommand({ resume, update, goto }: Static<typeof Command>): RunCommand {
  const targets = [goto ?? []]
    .flat()
    .map((target) => (typeof target === 'string' ? target : { node: target.node, input: target.input }));
  return {
    ...(resume !== undefined && { resume }),
    ...(update && { update }),
    ...(targets.length > 0 && { goto: targets }),
  };
}

/** Validates the checkpoint reference in `configurable`, which the request's schema doesn't. Throws INVALID_REQUEST. */
function checkedReference(reference: Record<string, unknown>): Static<typeof Checkpoint> {
  const [error] = Value.Errors(Checkpoint, reference);
  if (!error) return reference;
  const field = error.path.slice(1).replaceAll('/', '.');
  throw new SkeinError('INVALID_REQUEST', {
    detail: `config.configurable.${field}: expected ${expected(error.schema)}`,
  });
}

function checkpointOf({
  checkpoint_id: id,
  checkpoint_ns: ns,
  checkpoint_map: map,
}: Static<typeof Checkpoint>): ProtocolRequest['checkpoint'] {
  return id ? { id, ...(ns && { ns }), ...(map && { map }) } : undefined;
}

function dropNulls<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== null && field !== undefined),
  ) as Partial<Value>;
}
