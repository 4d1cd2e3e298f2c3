/** Why an MCP server cannot be used. Messages repeat nothing that was sent to the server or received from it. */
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

export class Unusable extends Error {
  readonly reason: string;
  /** The last lines of its program's standard error, for the log. */
  readonly said: string;
  /** Whether the server only supports protocol revisions from 2026 on. */
  readonly wantsModern: boolean;

  constructor(reason: string, said: string, cause: unknown) {
    super(reason, { cause });
    this.reason = reason;
    this.said = said;
    this.wantsModern =
      cause instanceof ProtocolError && cause.code === ProtocolErrorCode.UnsupportedProtocolVersion;
  }
}

/** `seconds`: the timeout, for the message. */
export function unusableBy(cause: unknown, { said, seconds }: { said: string; seconds: number }): Unusable {
  return new Unusable(reasonOf(cause, seconds), said, cause);
}

function reasonOf(error: unknown, seconds: number): string {
  if (error instanceof UnauthorizedError) return 'it responds with status 401';
  if (error instanceof SdkHttpError) return `it responds with status ${error.data.status}`;
  if (error instanceof ProtocolError) return `it responds with error ${error.code}`;
  if (error instanceof SdkError) return SDK_REASONS[error.code]?.(seconds) ?? 'it does not speak MCP';
  const { code } = error as { code?: string };
  if (code === 'ENOENT') return 'the program is not found';
  if (code === 'EACCES') return 'the program is not executable';
  return 'it cannot be reached';
}

const SDK_REASONS: Partial<Record<SdkErrorCode, (seconds: number) => string>> = {
  [SdkErrorCode.RequestTimeout]: (seconds) => `no answer within ${seconds} s`,
  [SdkErrorCode.ConnectionClosed]: () => 'it exited before it responded',
  [SdkErrorCode.NotConnected]: () => 'it exited before it responded',
};
