/** A typical callback handler, which records its calls. */
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';

export class Recorder extends BaseCallbackHandler {
  override name = 'recorder';
  readonly events: string[] = [];
  /** The names of the runs that have not ended, with their handlers' own tags. */
  readonly #names = new Map<string, string>();

  #begin(kind: string, runId: string, name: string | undefined, tags: string[] | undefined): void {
    const ownTags = new Set(tags?.filter((tag) => tag.startsWith('own')));
    this.#names.set(runId, `${kind} ${name ?? '?'}`);
    this.events.push(`${kind} ${name ?? '?'} starts ${[...ownTags].join()}`.trim());
  }

  #end(runId: string): void {
    this.events.push(`${this.#names.get(runId)} ends`);
  }

  override handleChainStart(
    ...[, , runId, , tags, , , name]: Parameters<NonNullable<BaseCallbackHandler['handleChainStart']>>
  ) {
    this.#begin('chain', runId, name, tags);
  }

  override handleChainEnd(_outputs: unknown, runId: string) {
    this.#end(runId);
  }

  override handleChainError(_error: unknown, runId: string) {
    this.#end(runId);
  }

  override handleChatModelStart(
    ...[, , runId, , , tags, , name]: Parameters<NonNullable<BaseCallbackHandler['handleChatModelStart']>>
  ) {
    this.#begin('model', runId, name, tags);
  }

  override handleLLMEnd(_output: unknown, runId: string) {
    this.#end(runId);
  }

  override handleToolStart(
    ...[, , runId, , tags, , name]: Parameters<NonNullable<BaseCallbackHandler['handleToolStart']>>
  ) {
    this.#begin('tool', runId, name, tags);
  }

  override handleToolEnd(_output: unknown, runId: string) {
    this.#end(runId);
  }
}
