/**
 * A callback manager that reports models and tools to its handlers, but not chains, because a graph starts ten chains per node.
 */
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import {
  CallbackManager,
  CallbackManagerForChainRun,
  type CallbackManagerForLLMRun,
} from '@langchain/core/callbacks/manager';
import type { BaseMessage } from '@langchain/core/messages';
import { Runnable } from '@langchain/core/runnables';

/** The arguments of a chain's start. */
export interface StartedChain {
  tags: string[];
  metadata: Record<string, unknown>;
}

export interface Quiet {
  /** Handlers that don't need chains. */
  handlers: BaseCallbackHandler[];
  /** Called for each chain instead. */
  started(chain: StartedChain): void;
  /** Resolves when calls with these messages may be made. Its errors are propagated, not printed. */
  admit(messages: BaseMessage[][], about: StartedChain): Promise<void>;
}

/**
 * LangChain's own manager copies itself for every runnable, key by key, and calls each handler at the start and end of the
 * runnable. This manager copies itself as a whole and calls no handler. With other handlers, such as a tracer, it behaves like
 * LangChain's own.
 */
export class QuietCallbacks extends CallbackManager {
  readonly #quiet: Quiet;

  constructor(quiet: Quiet, parentRunId?: string) {
    super(parentRunId);
    this.#quiet = quiet;
  }

  override copy(more: BaseCallbackHandler[] = [], inherit = true): CallbackManager {
    if (more.length > 0 || !this.#isQuiet()) return super.copy(more, inherit);
    return filled(new QuietCallbacks(this.#quiet, this._parentRunId), this);
  }

  override handleChainStart(
    ...given: Parameters<CallbackManager['handleChainStart']>
  ): Promise<CallbackManagerForChainRun> {
    if (!this.#isQuiet()) return super.handleChainStart(...given);
    this.#quiet.started(this);
    // Chains that no handler receives may share an id.
    const runId = this._parentRunId ?? given[2] ?? Bun.randomUUIDv7();
    return Promise.resolve(new QuietChainRun(this.#quiet, runId, this));
  }

  override async handleChatModelStart(
    ...given: Parameters<CallbackManager['handleChatModelStart']>
  ): Promise<CallbackManagerForLLMRun[]> {
    await this.#quiet.admit(given[1], this);
    return super.handleChatModelStart(...given);
  }

  #isQuiet(): boolean {
    return this.handlers.every((handler) => this.#quiet.handlers.includes(handler));
  }
}

class QuietChainRun extends CallbackManagerForChainRun {
  readonly #quiet: Quiet;

  constructor(quiet: Quiet, runId: string, of: CallbackManager) {
    const { handlers, inheritableHandlers, tags, inheritableTags, metadata, inheritableMetadata } = of;
    super(runId, handlers, inheritableHandlers, tags, inheritableTags, metadata, inheritableMetadata, runId);
    this.#quiet = quiet;
  }

  override getChild(tag?: string): CallbackManager {
    const { inheritableHandlers, inheritableTags, inheritableMetadata } = this;
    const child = filled(new QuietCallbacks(this.#quiet, this.runId), {
      ...{ handlers: inheritableHandlers, inheritableHandlers },
      ...{ tags: inheritableTags, inheritableTags },
      ...{ metadata: inheritableMetadata, inheritableMetadata },
    });
    if (tag) child.addTags([tag], false);
    return child;
  }

  override async handleChainEnd(): Promise<void> {}

  override async handleChainError(): Promise<void> {}
}

type Contents = Pick<
  CallbackManager,
  'handlers' | 'inheritableHandlers' | 'tags' | 'inheritableTags' | 'metadata' | 'inheritableMetadata'
>;

function filled(manager: CallbackManager, of: Contents): CallbackManager {
  manager.handlers = [...of.handlers];
  manager.inheritableHandlers = [...of.inheritableHandlers];
  manager.tags = [...of.tags];
  manager.inheritableTags = [...of.inheritableTags];
  manager.metadata = { ...of.metadata };
  manager.inheritableMetadata = { ...of.inheritableMetadata };
  return manager;
}

/** The callbacks of a graph. A graph with another copy of LangChain gets the handlers for that copy's manager. */
export function callbacksFor(graph: object, quiet: Quiet): CallbackManager | BaseCallbackHandler[] {
  if (!(graph instanceof Runnable)) return quiet.handlers;
  const manager = new QuietCallbacks(quiet);
  manager.setHandlers(quiet.handlers);
  return manager;
}
