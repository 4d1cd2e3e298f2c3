/** The commands of the event-streaming protocol and their responses. Errors of commands are in the response body. */
import { type Static, Type } from '@sinclair/typebox';
import { type ErrorCode, SkeinError } from '../../../state/errors.ts';

export const Command = Type.Object(
  {
    id: Type.Integer({ minimum: 0, description: 'Repeated in the response' }),
    method: Type.String({ minLength: 1, maxLength: 100 }),
    params: Type.Optional(Type.Unknown()),
  },
  { title: 'LangGraphCommand', additionalProperties: true },
);
export type Command = Static<typeof Command>;

const Meta = Type.Object({ thread_id: Type.String() });

const Success = Type.Object(
  {
    type: Type.Literal('success'),
    id: Type.Integer(),
    result: Type.Record(Type.String(), Type.Unknown()),
    meta: Meta,
  },
  { title: 'LangGraphCommandSuccess' },
);

const Code = Type.Union([
  Type.Literal('invalid_argument'),
  Type.Literal('unknown_command'),
  Type.Literal('unknown_error'),
  Type.Literal('not_supported'),
  Type.Literal('no_such_run'),
  Type.Literal('no_such_subscription'),
  Type.Literal('no_such_interrupt'),
  Type.Literal('no_such_checkpoint'),
]);
export type CommandErrorCode = Static<typeof Code>;

const Failure = Type.Object(
  {
    type: Type.Literal('error'),
    id: Type.Union([Type.Integer(), Type.Null()]),
    error: Code,
    message: Type.String(),
    meta: Type.Optional(Meta),
  },
  { title: 'LangGraphCommandError' },
);

export const Envelope = Type.Union([Success, Failure]);
export type Envelope = Static<typeof Envelope>;

/** An error of a command, which becomes its response. */
export class CommandError extends Error {
  readonly code: CommandErrorCode;

  constructor(code: CommandErrorCode, message: string) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
  }
}

/**
 * Returns a success response with the result of `work`, or an error response. Throws errors that aren't about the command,
 * such as SHUTTING_DOWN.
 */
export async function respond(
  { id }: Pick<Command, 'id'>,
  thread_id: string,
  work: () => Promise<Record<string, unknown>>,
): Promise<Envelope> {
  const meta = { thread_id };
  try {
    return { type: 'success', id, result: await work(), meta };
  } catch (thrown) {
    const { code, message } = toCommandError(thrown);
    return { type: 'error', id, error: code, message, meta };
  }
}

const CODES: Partial<Record<ErrorCode, CommandErrorCode>> = {
  INVALID_REQUEST: 'invalid_argument',
  INVALID_WORKFLOW_INPUT: 'invalid_argument',
  WORKFLOW_NOT_FOUND: 'invalid_argument',
  INVALID_WORKFLOW_TYPE: 'invalid_argument',
  CONFIGURATION_ERROR: 'unknown_error',
  THREAD_BUSY: 'unknown_error',
  THREAD_NOT_FOUND: 'no_such_run',
  RUN_NOT_FOUND: 'no_such_run',
  CHECKPOINT_NOT_FOUND: 'no_such_checkpoint',
};

function toCommandError(thrown: unknown): Pick<CommandError, 'code' | 'message'> {
  if (thrown instanceof CommandError) return thrown;
  const code = thrown instanceof SkeinError ? CODES[thrown.code] : undefined;
  if (!(thrown instanceof SkeinError) || code === undefined) throw thrown;
  return { code, message: thrown.detail ?? thrown.message };
}
