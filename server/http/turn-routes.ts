/** Routes that start a turn. Each request counts towards the chat rate limit, and `max_chat_body_bytes` limits the body. */
export const TURN_ROUTES: ReadonlySet<string> = new Set([
  '/api/v1/chat',
  '/api/v1/threads/:thread_id/resume',
  '/v1/chat/completions',
  '/v1/responses',
  '/ai/:workflow',
  '/ag-ui/:workflow',
  ...['/runs', '/runs/stream', '/runs/wait', '/runs/batch'],
  ...['', '/stream', '/wait'].map((how) => `/threads/:thread_id/runs${how}`),
]);

/** Routes that may start no turn, one or several: their handlers count the turns. `max_chat_body_bytes` limits the body. */
export const MESSAGE_ROUTES: ReadonlySet<string> = new Set([
  '/api/v1/threads/:thread_id/fork',
  '/mcp',
  '/a2a/:workflow',
  '/api/v1/runs/:run_id/calls/replay',
  '/threads/:thread_id/commands',
]);
