/**
 * Rejects model calls before they are made. It is a tracer because LangChain propagates what a tracer throws when a call
 * starts; it prints an error of any other handler to stderr first, as if the handler had failed.
 */
import { BaseTracer, type Run } from '@langchain/core/tracers/base';
import { type CallObserver, sentMessages, sentPrompts } from './graph-handler.ts';

// LangChain only uses the fields of a tracer's run that the tracer itself uses.
const NO_RUN = {} as Run;

/** A class because LangChain requires one. It stores no runs. */
export class CallGuard extends BaseTracer {
  override name = 'skein_guard';
  override awaitHandlers = true;
  override ignoreChain = true;
  override ignoreAgent = true;
  override ignoreRetriever = true;
  override ignoreCustomEvent = true;
  readonly #start: CallObserver['start'];

  /** `start` may throw. */
  constructor(start: CallObserver['start']) {
    super();
    this.#start = start;
  }

  override _createRunForChatModelStart(
    ...[, messages, runId, , extra, tags, metadata]: Parameters<BaseTracer['_createRunForChatModelStart']>
  ) {
    this.#start(runId, sentMessages(messages, extra), tags, metadata);
    return NO_RUN;
  }

  override _createRunForLLMStart(
    ...[, prompts, runId, , , tags, metadata]: Parameters<BaseTracer['_createRunForLLMStart']>
  ) {
    this.#start(runId, sentPrompts(prompts), tags, metadata);
    return NO_RUN;
  }

  override handleChatModelStart = noRun;
  override handleLLMStart = noRun;
  override handleLLMNewToken = noRun;
  override handleLLMEnd = noRun;
  override handleLLMError = noRun;

  protected async persistRun() {}
}

async function noRun(): Promise<Run> {
  return NO_RUN;
}
