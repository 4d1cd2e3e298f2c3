/** The routes that ask for a turn: their requests count as chats, and their bodies may be as large as chat's. */
export const TURN_ROUTES: ReadonlySet<string> = new Set([
  '/api/v1/chat',
  '/v1/chat/completions',
  '/v1/responses',
  '/ai/:workflow',
  '/ag-ui/:workflow',
]);
