/** What `getLogger()` of @langchain/langgraph-sdk gives graphs: LangGraph's servers register it, and so does this one. */
import type { Logger } from 'pino';

const GLOBAL = Symbol.for('langgraph.api.sdk-logger');

/** By their winston names; those that pino does not have go to its nearest. */
const LEVELS = {
  error: 'error',
  warn: 'warn',
  help: 'info',
  data: 'info',
  info: 'info',
  prompt: 'info',
  input: 'info',
  http: 'debug',
  verbose: 'debug',
  debug: 'debug',
  silly: 'trace',
} as const;

export function registerSdkLogger(log: Logger): void {
  const logger: Record<string, unknown> = {};
  for (const [name, level] of Object.entries(LEVELS)) {
    logger[name] = (message: unknown, ...meta: unknown[]) => {
      const more = meta.filter((one) => typeof one === 'object' && one !== null);
      const isText = typeof message === 'string';
      log[level](Object.assign({}, ...more, isText ? {} : message), isText ? message : undefined);
      return logger;
    };
  }
  Object.assign(globalThis, { [GLOBAL]: logger });
}
