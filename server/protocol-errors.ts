/** Formats errors as the protocol that the path of a request belongs to. */
import type { Logger } from 'pino';
import type { ErrorBody } from '../state/errors.ts';
import { a2aError, isA2APath } from './a2a/errors.ts';
import { aiSdkError, isAiSdkPath } from './ai-sdk/errors.ts';
import { type ErrorReply, errorReply } from './http/errors/errors.ts';
import { errorText, isProtocolPath } from './langgraph/errors.ts';
import { isMcpPath, mcpError } from './mcp/errors.ts';
import { isOpenAIPath, openAIError, retryAdvice } from './openai/errors.ts';
import { withPromptName } from './prompts/error-detail.ts';

/** Returns a JSON body, or a string that is sent as plain text. */
type FormatError = (body: ErrorBody) => object | string;

// The first match wins. LangGraph's paths are at the root, so they come last.
const PROTOCOLS: { has(path: string): boolean; format: FormatError }[] = [
  { has: isOpenAIPath, format: openAIError },
  { has: isMcpPath, format: mcpError },
  { has: isAiSdkPath, format: aiSdkError },
  { has: isA2APath, format: a2aError },
  { has: isProtocolPath, format: errorText },
];

export function formattedError(error: unknown, id: string, log: Logger, path: string): ErrorReply {
  const reply = errorReply(error, id, log, formatFor(path));
  if (isOpenAIPath(path)) Object.assign(reply.headers, retryAdvice(reply.status));
  return reply;
}

/** Errors of Skein's own API name the revision and the file of a prompt path. */
function formatFor(path: string): FormatError {
  const protocol = PROTOCOLS.find(({ has }) => has(path));
  return protocol?.format ?? ((body) => withPromptName(body, path));
}
