/** The routes that ask for a turn: their requests count as chats, and their bodies may be as large as chat's. */
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

/** Those that may ask for one or several, which their handlers count: their bodies may be as large. */
export const MESSAGE_ROUTES: ReadonlySet<string> = new Set([
  '/mcp',
  '/a2a/:workflow',
  '/api/v1/runs/:run_id/calls/replay',
  '/threads/:thread_id/commands',
]);
