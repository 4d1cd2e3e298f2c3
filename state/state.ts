/** What lasts: threads, runs, messages, events, feedback, items and checkpoints, behind small async interfaces. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Page, PageRequest } from './archive.ts';
import type { RunSaver, SavedRun } from './checkpoints.ts';
import type { Coordination } from './coordination.ts';
import type { Events } from './events.ts';
import type { Feedback } from './feedback.ts';
import type { Items } from './items/items.ts';
import type { RunRequest, Runs } from './runs.ts';
import type { Threads } from './threads.ts';
import type { WebhookQueue } from './webhooks.ts';

/** Everything that a driver gives. Nothing above `state/` knows which one it is. */
export interface State {
  threads: Threads;
  runs: Runs;
  coordination: Coordination;
  messages: Messages;
  events: Events;
  feedback: FeedbackStore;
  webhooks: WebhookQueue;
  items: Items;
  /** Whether other processes may use it at the same time. */
  shared: boolean;
  /** By the thread's key, for readers. */
  checkpointer: BaseCheckpointSaver;
  /** Made for each run that starts. */
  saverOf(run: SavedRun): RunSaver;
  /** Resolves when all that was written before the call survives the end of the machine too. */
  durable(): Promise<void>;
  /**
   * Rejects with STATE_UNAVAILABLE, within a second or so, where the database does not answer, and with STORAGE_FULL while it
   * has no room for what a turn writes.
   */
  reachable(): Promise<void>;
  /** Rejects when the store cannot be read. `commits`: transactions since the start, where this process counts them. */
  check(): Promise<{ bytes: number; commits?: number }>;
  close(): Promise<void>;
}

export interface Message {
  messageId: string;
  threadKey: string;
  threadId: string;
  runId: string;
  role: 'user' | 'assistant';
  content: string;
  createdAt: number;
}

export interface Messages {
  find(owner: string, messageId: string): Promise<Message | undefined>;
  ownerOf(messageId: string): Promise<string | undefined>;
}

/** An answer with a thumbs-down or at most 2 of 5, and what was asked. */
export interface BadAnswer {
  feedback: Feedback;
  owner: string;
  runId: string;
  workflow: string;
  answer: string;
  createdAt: number;
  /** Null where the run is no longer kept. */
  request: Pick<RunRequest, 'userPrompt' | 'input'> | null;
}

export interface BadAnswerFilter {
  /** Null: everybody's. */
  owner: string | null;
  reviewed: boolean;
}

export interface FeedbackStore {
  put(feedback: Feedback): Promise<void>;
  get(messageId: string): Promise<Feedback | undefined>;
  /** Puts `after` where the stored feedback is still `before`; gives whether it was. */
  replace(before: Feedback, after: Feedback): Promise<boolean>;
  /** The newest answers first. */
  bad(filter: BadAnswerFilter, page: PageRequest<[messageId: string]>): Promise<Page<BadAnswer>>;
}
