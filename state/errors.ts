/** The service's error class, its closed set of error codes, and the HTTP status and message of each code. */

/** Every `error_code` with its HTTP status and default message. `docs/errors.md` is generated from this table. */
export const ERRORS = {
  INVALID_REQUEST: [400, 'The request is not valid'],
  INVALID_JSON: [400, 'The request body is not valid JSON'],
  INVALID_WORKFLOW_TYPE: [400, 'Invalid workflow type specified'],
  INVALID_WORKFLOW_INPUT: [400, 'The workflow does not accept this user_prompt'],
  PROMPT_INVALID: [400, 'The prompt file is not valid'],
  PROMPT_CONFLICT: [412, 'The prompt file has changed since the version in If-Match'],
  RUN_CANCELLED: [409, 'The run was cancelled'],
  WORKFLOW_CHANGED: [500, 'The workflow has changed, so this run cannot continue'],
  UNAUTHORIZED: [401, 'Missing or invalid credentials'],
  ORIGIN_NOT_ALLOWED: [403, 'Pages from this origin may not call this endpoint'],
  NOT_FOUND: [404, 'Endpoint not found'],
  WORKFLOW_NOT_FOUND: [404, 'Workflow not found'],
  THREAD_NOT_FOUND: [404, 'Thread not found'],
  CHECKPOINT_NOT_FOUND: [404, 'Checkpoint not found'],
  RUN_NOT_FOUND: [404, 'Run not found'],
  MESSAGE_NOT_FOUND: [404, 'Message not found'],
  PROMPT_NOT_FOUND: [404, 'Prompt file not found'],
  DOCUMENT_NOT_FOUND: [404, 'Document not found'],
  CRON_NOT_FOUND: [404, 'Cron not found'],
  METHOD_NOT_ALLOWED: [405, 'This endpoint does not support this method'],
  ASSISTANT_EXISTS: [409, 'An assistant with this id already exists'],
  THREAD_BUSY: [409, 'The thread is busy'],
  NOT_INTERRUPTED: [409, 'The thread is not interrupted'],
  INTERRUPT_AMBIGUOUS: [409, 'The thread is waiting for several answers'],
  INTERRUPT_NOT_FOUND: [409, 'The thread is not waiting for this interrupt'],
  IDEMPOTENCY_MISMATCH: [409, 'This Idempotency-Key was used with a different request body'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is too large'],
  RATE_LIMITED: [429, 'Too many requests. Try again later'],
  MODEL_CALL_FAILED: [500, 'The language model call failed'],
  DATABASE_CONNECTION_FAILED: [500, 'Database connection failed'],
  MCP_SERVER_FAILED: [500, 'An MCP server failed'],
  NO_TABLES_FOUND: [500, 'No tables found'],
  SQL_EXECUTION_FAILED: [500, 'SQL query execution failed'],
  PROMPT_STORAGE_FAILED: [500, 'The prompt storage failed'],
  CONFIGURATION_ERROR: [500, 'The configuration is not valid'],
  RUN_CRASHED: [
    500,
    'The process crashed three times in a row without progress on this run, so it is not retried',
  ],
  RUN_TIMEOUT: [500, 'The run did not finish within its deadline'],
  BUDGET_EXCEEDED: [500, 'The next model call would exceed the token budget'],
  OVERLOADED: [503, 'The service is at its limit. Try again later'],
  SHUTTING_DOWN: [503, 'The service is shutting down'],
  ISSUER_UNAVAILABLE: [503, 'The issuer of the access token cannot be reached. Try again later'],
  STATE_UNAVAILABLE: [503, 'The database of the service cannot be reached. Try again later'],
  STORAGE_FULL: [503, 'The disk or the database is full. Try again later'],
  INTERNAL_ERROR: [500, 'An unexpected error occurred. See the log entries with this request_id'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** Alternative statuses: BUDGET_EXCEEDED is 429 if a standing budget is exhausted before the run is accepted. */
export const ALTERNATIVE_STATUS: Partial<Record<ErrorCode, number>> = { BUDGET_EXCEEDED: 429 };

export interface ErrorOptions {
  /** One sentence that a person can act on. Default: the message of the code in `ERRORS`. */
  message?: string;
  /** What failed and where. Never contains a received value, a secret or a path of the host. */
  detail?: string;
  /** Seconds to wait before a retry, an integer; sent as the `Retry-After` header. */
  retryAfter?: number;
  /** Overrides the status of the code; see `ALTERNATIVE_STATUS`. */
  status?: 429;
  /** Dotted path of the missing or invalid setting. */
  field?: string;
  cause?: unknown;
}

/**
 * An error with a stable code. All errors that the service throws deliberately are of this class. `instanceof` compares name
 * and code instead of the class, because a project's workflows may use another installed copy of this package.
 */
export class SkeinError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!(value instanceof Error) || value.name !== 'SkeinError' || !('code' in value)) return false;
    return Object.hasOwn(ERRORS, String(value.code));
  }

  override readonly name = 'SkeinError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly retryAfter: number | undefined;
  readonly field: string | undefined;
  readonly status: number;

  /** An unknown code, which a workflow in plain JavaScript can pass, becomes INTERNAL_ERROR with the details in its cause. */
  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    const known = knownError(code, options);
    super(known.message ?? ERRORS[known.code][1], { cause: known.cause });
    this.code = known.code;
    this.detail = known.detail;
    this.retryAfter = known.retryAfter;
    this.field = known.field;
    this.status = known.status ?? ERRORS[known.code][0];
  }
}

/**
 * Whether the error, or one of its causes, says that the service's database is unreachable or full. Acknowledged work is
 * stored in that case and continues later. The causes are checked because LangGraph may wrap an error.
 */
export function isUnavailable(error: unknown): boolean {
  return asUnavailable(error) !== undefined;
}

/** The error that `isUnavailable` looks for: STATE_UNAVAILABLE or STORAGE_FULL. */
export function asUnavailable(error: unknown): SkeinError | undefined {
  return causesOf(error).find((cause) => cause instanceof SkeinError && UNAVAILABLE.includes(cause.code)) as
    | SkeinError
    | undefined;
}

const UNAVAILABLE: readonly ErrorCode[] = ['STATE_UNAVAILABLE', 'STORAGE_FULL'];

const FULL_RETRY_SECONDS = 5;
// Codes of the operating system and of SQLite. SQLITE_IOERR_SHMSIZE: the shared-memory index of the WAL could not grow.
const FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'];
// LanceDB and DuckDB report a full disk only in the message.
const FULL_MESSAGE = /no space left on device|disk quota exceeded|\bos error 28\b/i;

/** Returns STORAGE_FULL if the error or one of its causes reports a full disk or database; otherwise undefined. */
export function asStorageFull(error: unknown): SkeinError | undefined {
  for (const cause of causesOf(error)) {
    if (cause instanceof SkeinError && cause.code === 'STORAGE_FULL') return cause;
    const { code, message } = cause as { code?: unknown; message?: unknown };
    const isFull = FULL_CODES.includes(code) || (typeof message === 'string' && FULL_MESSAGE.test(message));
    if (isFull) return new SkeinError('STORAGE_FULL', { retryAfter: FULL_RETRY_SECONDS, cause: error });
  }
  return undefined;
}

function knownError(code: ErrorCode, options: ErrorOptions): ErrorOptions & { code: ErrorCode } {
  if (Object.hasOwn(ERRORS, code)) return { ...options, code };
  const text = [options.message, options.detail].filter((part) => part !== undefined).join(': ');
  const reason = `SkeinError was created with the unknown code '${String(code)}'${text === '' ? '' : `: ${text}`}`;
  return { code: 'INTERNAL_ERROR', cause: new Error(reason, { cause: options.cause }) };
}

/** The body of error responses and of the `error` event of a stream. */
export interface ErrorBody {
  status: 'error';
  message: string;
  error_code: ErrorCode;
  timestamp: string;
  request_id: string;
  detail?: string;
}

/** The wire form of `error`. Anything other than a SkeinError becomes INTERNAL_ERROR without details of the error. */
export function errorBody(error: unknown, requestId: string): ErrorBody {
  const known = error instanceof SkeinError ? error : new SkeinError('INTERNAL_ERROR');
  const body: ErrorBody = {
    status: 'error',
    message: known.message,
    error_code: known.code,
    timestamp: new Date().toISOString(),
    request_id: requestId,
  };
  return known.detail === undefined ? body : { ...body, detail: known.detail };
}

/** CONFIGURATION_ERROR for a missing or invalid setting. `reason` says what was expected and never contains the value. */
export function configurationError(path: string, reason: string): SkeinError {
  const message = `Validation error in field '${path}': ${reason}`;
  return new SkeinError('CONFIGURATION_ERROR', { message, field: path });
}

// Longer than any useful chain. The limit is needed because an error can be its own cause.
const MAX_CAUSES = 32;

/** Yields the error, then its cause, then the cause of that, at most 32 objects. */
export function* causesOf(error: unknown): Generator<object> {
  let current = error;
  for (let count = 0; count < MAX_CAUSES && typeof current === 'object' && current !== null; count++) {
    yield current;
    current = (current as { cause?: unknown }).cause;
  }
}
