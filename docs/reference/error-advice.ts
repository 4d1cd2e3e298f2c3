/** When a client gets each error code, and what to do then. */
import type { ErrorCode } from '../../state/errors.ts';

export const ADVICE: Record<ErrorCode, string> = {
  INVALID_REQUEST:
    'The body, the query or a path parameter violates its schema. `detail` names the field and the rule.',
  INVALID_JSON: "The body isn't JSON in UTF-8.",
  INVALID_WORKFLOW_TYPE:
    '`conversation_flow` is not the name of a workflow that can run. `detail` lists the available ones. If yours is missing, `skein workflows` says why.',
  INVALID_WORKFLOW_INPUT:
    'The workflow rejects this `user_prompt` or `input`. `detail` names the path of the field.',
  PROMPT_INVALID:
    "The text isn't a valid template, it is larger than 64 KiB, or the file's name isn't allowed.",
  PROMPT_CONFLICT: 'Someone else has changed the file. Read it again, and send its new `ETag` as `If-Match`.',
  RUN_CANCELLED: 'The run was cancelled while you waited for its response, or a newer turn superseded it.',
  WORKFLOW_CHANGED:
    'The run could not continue after a restart or an interrupt, because its workflow or the node where it waited no longer exists. Start a new turn.',
  UNAUTHORIZED: 'Send valid credentials: [authentication.md](authentication.md).',
  ORIGIN_NOT_ALLOWED:
    'A page of another origin called `/mcp`. Add the origin to `web_configuration.cors_origins`.',
  NOT_FOUND: 'No route has this path. Check the path, and `web_configuration.base_path`.',
  WORKFLOW_NOT_FOUND: 'Check the name against `GET /api/v1/workflows`.',
  THREAD_NOT_FOUND: "The thread doesn't exist, was deleted, or belongs to another caller.",
  CHECKPOINT_NOT_FOUND:
    'The thread has no such checkpoint; old checkpoints are deleted (`chat_history.checkpoints_per_thread`).',
  RUN_NOT_FOUND: "The run doesn't exist, was deleted, or belongs to another caller.",
  MESSAGE_NOT_FOUND: "The message doesn't exist, isn't an assistant's message, or belongs to another caller.",
  PROMPT_NOT_FOUND: "The revision doesn't have this file, or the file doesn't have this version.",
  DOCUMENT_NOT_FOUND: 'The knowledge base has no document with this name.',
  CRON_NOT_FOUND: "The cron doesn't exist or belongs to another caller.",
  METHOD_NOT_ALLOWED: 'Use one of the methods that the `Allow` header lists.',
  ASSISTANT_EXISTS: 'Choose another `assistant_id`, or send `if_exists: do_nothing`.',
  THREAD_BUSY:
    'A turn is running and the request says `reject`, too many turns are waiting, or the thread is waiting for a person. `detail` says which.',
  NOT_INTERRUPTED:
    'There is no question to answer: it was answered or dropped. Read the thread before you resume.',
  INTERRUPT_AMBIGUOUS:
    'Several interrupts are pending. Send `values`, an object of answers by `interrupt_id`.',
  INTERRUPT_NOT_FOUND: 'An `interrupt_id` in `values` is not pending on this thread.',
  IDEMPOTENCY_MISMATCH: 'Use a new `Idempotency-Key` for each different request.',
  PAYLOAD_TOO_LARGE:
    'The limits are `limits.max_body_bytes`, for turns `limits.max_chat_body_bytes`, for documents 20 MiB.',
  RATE_LIMITED:
    'Wait for `Retry-After`. The limits are `rate_limit.requests_per_minute` and `failed_logins_per_minute`.',
  MODEL_CALL_FAILED:
    "The provider failed despite retries and fallbacks, or its answer was unusable. `detail` has the provider's message.",
  DATABASE_CONNECTION_FAILED:
    'The SQL database, the cloud search or the object store of the documents cannot be reached. Check its settings with `skein validate`.',
  MCP_SERVER_FAILED:
    'A server of `mcp_servers` could not be started or reached. `detail` names the server and the reason.',
  NO_TABLES_FOUND: 'The SQL database is empty. Import tables: [sql.md](sql.md).',
  SQL_EXECUTION_FAILED:
    "The model's SQL failed despite repairs, or the guard rejected it. `detail` has the database's reason.",
  PROMPT_STORAGE_FAILED: 'The storage of the prompt files failed. `detail` names the file and the revision.',
  CONFIGURATION_ERROR:
    'A setting is missing or invalid; the message names it. At startup, the exit code is 2.',
  RUN_CRASHED:
    'The run itself probably ends the process, for example by using too much memory. See the log, fix the graph and start a new turn.',
  RUN_TIMEOUT: 'Raise `limits.run_seconds`, or `limits.queue_seconds` if the run waited too long for a slot.',
  BUDGET_EXCEEDED:
    '500: the next model call of the turn could exceed its token limit or a budget. 429: a budget is used up; `Retry-After` says when its next period begins. See [budgets.md](budgets.md).',
  OVERLOADED: 'All slots and queues are full, or the service is starting. Wait for `Retry-After`.',
  SHUTTING_DOWN:
    'Repeat the request, if possible at another server. If `detail` names a run, that run continues after the restart.',
  ISSUER_UNAVAILABLE:
    'The OpenID Connect issuer cannot be reached to check the token, which may be valid. Retry after `Retry-After`.',
  STATE_UNAVAILABLE:
    'The database is unreachable, or its file is locked by another program, read-only or on a failing disk. Acknowledged work is kept, and the service recovers automatically.',
  STORAGE_FULL:
    'Free space on the volume: [operations.md](operations.md#a-full-disk). The service recovers automatically.',
  INTERNAL_ERROR:
    "A bug in Skein, or an exception in your graph. Search the service's log for the `request_id`.",
};
