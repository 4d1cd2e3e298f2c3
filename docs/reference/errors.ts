/** docs/errors.md: every error code with its status, its sentence and what to do about it. */
import { ErrorBody } from '../../server/http/schemas/error-schema.ts';
import { ALTERNATIVE_STATUS, ERRORS, type ErrorCode } from '../../state/errors.ts';
import { ADVICE } from './error-advice.ts';
import { fieldRows, typeOf } from './field-rows.ts';
import { code, page, table } from './markdown.ts';

export function errorsPage(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const rows = codes
    .toSorted((a, b) => ERRORS[a][0] - ERRORS[b][0])
    .map((name) => [code(name), statuses(name), `${ERRORS[name][1]}.`, ADVICE[name]]);
  return page(
    'Errors',
    INTRODUCTION,
    body(),
    CODES,
    table(['code', 'status', 'default message', 'when, and what to do'], rows),
    AFTER,
  );
}

const INTRODUCTION = `Every error response of the service's own API has this body, and so does the \`error\` event of a stream. In your
programs, use \`error_code\`: the set of codes is closed, and a code keeps its meaning. Show \`message\` to people. \`detail\`
names the thing and the place, such as a field, a file or a setting.`;

const CODES = `## Codes

\`message\` may be more specific than the default here.`;

const AFTER = `## Retrying

- With \`Retry-After\`, wait that many seconds first. Every 429 and 503 has it, and a MODEL_CALL_FAILED while the provider's circuit
  breaker is open.
- Send an \`Idempotency-Key\` with chat and resume. The same key and body never run a turn twice, so you can repeat a request whose
  response you didn't get.
- A THREAD_BUSY can succeed later. Don't repeat other requests that got 400 to 413: they fail in the same way.
- If \`detail\` of a 503 names a run, the run was accepted and continues. Follow it with \`GET /api/v1/runs/{run_id}/stream\`
  instead of sending the message again.

The clients do this for you: [client.md](client.md).

## Other protocols

The routes of other protocols report the same failures in the form that their clients expect: [langgraph.md](langgraph.md),
[connect.md](connect.md).`;

function body(): string {
  const rows = fieldRows(ErrorBody).map(({ path, schema, required }) => [
    code(path),
    `${typeOf(schema)}${required ? '' : ', optional'}`,
    String(schema.description ?? MEANINGS[path] ?? ''),
  ]);
  return table(['field', 'type', 'meaning'], rows);
}

const MEANINGS: Record<string, string> = {
  error_code: 'One of the codes below',
  timestamp: 'When the error happened',
  request_id: 'The same as `X-Request-Id`; the log has it too',
};

function statuses(name: ErrorCode): string {
  const also = ALTERNATIVE_STATUS[name];
  return also === undefined ? String(ERRORS[name][0]) : `${ERRORS[name][0]} or ${also}`;
}
