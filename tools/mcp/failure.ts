/** Why an MCP server cannot be used, in words that hold nothing of what it was sent or has said. */
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
  /** It speaks no revision of the protocol before that of 2026. */
  readonly wantsModern: boolean;

  constructor(reason: string, said: string, cause: unknown) {
    super(reason, { cause });
    this.reason = reason;
    this.said = said;
    this.wantsModern =
      cause instanceof ProtocolError && cause.code === ProtocolErrorCode.UnsupportedProtocolVersion;
  }
}

/** `seconds`: how long was waited. */
export function unusableBy(cause: unknown, { said, seconds }: { said: string; seconds: number }): Unusable {
  return new Unusable(reasonOf(cause, seconds), said, cause);
}

function reasonOf(error: unknown, seconds: number): string {
  if (error instanceof UnauthorizedError) return 'it answers 401';
  if (error instanceof SdkHttpError) return `it answers ${error.data.status}`;
  if (error instanceof ProtocolError) return `it answers with the error ${error.code}`;
  if (error instanceof SdkError) return SDK_REASONS[error.code]?.(seconds) ?? 'it does not speak MCP';
  const { code } = error as { code?: string };
  if (code === 'ENOENT') return 'the program is not found';
  if (code === 'EACCES') return 'the program may not be executed';
  return 'it cannot be reached';
}

const SDK_REASONS: Partial<Record<SdkErrorCode, (seconds: number) => string>> = {
  [SdkErrorCode.RequestTimeout]: (seconds) => `no answer within ${seconds} s`,
  [SdkErrorCode.ConnectionClosed]: () => 'it ended before it answered',
  [SdkErrorCode.NotConnected]: () => 'it ended before it answered',
};
