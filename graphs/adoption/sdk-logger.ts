/** The logger that graphs get from `getLogger()` of @langchain/langgraph-sdk, which LangGraph's servers register, too. */
import type { Logger } from 'pino';

const GLOBAL = Symbol.for('langgraph.api.sdk-logger');

/** By winston's names; names that pino lacks map to the nearest level. */
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
