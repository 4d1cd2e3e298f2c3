/** Persistent state: small async interfaces for threads, runs, messages, events, feedback, items and checkpoints. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { RunSaver, SavedRun } from './checkpoints/checkpoints.ts';
import type { Items } from './items/items.ts';
import type { WebhookQueue } from './resources/webhooks.ts';
import type { Page, PageRequest } from './threads/archive.ts';
import type { Coordination } from './threads/coordination.ts';
import type { Events } from './threads/events.ts';
import type { Feedback } from './threads/feedback.ts';
import type { RunRequest, Runs } from './threads/runs.ts';
import type { Threads } from './threads/threads.ts';

/** What a driver implements. Code outside of `state/` doesn't depend on the driver. */
export interface State {
  threads: Threads;
  runs: Runs;
  coordination: Coordination;
  messages: Messages;
  events: Events;
  feedback: FeedbackStore;
  webhooks: WebhookQueue;
  items: Items;
  /** Whether other processes may use the database at the same time. */
  shared: boolean;
  /** For readers. Its `thread_id` is the thread's key. */
  checkpointer: BaseCheckpointSaver;
  /** A new saver, for one execution of a run. */
  saverOf(run: SavedRun): RunSaver;
  /**
   * Resolves when all earlier writes survive a crash of the machine as well. False if the run with the id `runId` is not
   * stored: a database that crashed in the meantime may have lost its acceptance.
   */
  durable(runId?: string): Promise<boolean>;
  /**
   * Rejects with STATE_UNAVAILABLE, within about a second, if the database does not respond, and with STORAGE_FULL while it
   * has no space for the writes of a turn.
   */
  reachable(): Promise<void>;
  /** Rejects if the database cannot be read. `commits`: transactions since the start, if this process counts them. */
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

/** An answer with a thumbs-down or a rating of at most 2 of 5, and its question. */
export interface BadAnswer {
  feedback: Feedback;
  owner: string;
  runId: string;
  workflow: string;
  answer: string;
  createdAt: number;
  /** Null if the run has been deleted. */
  request: Pick<RunRequest, 'userPrompt' | 'input'> | null;
}

export interface BadAnswerFilter {
  /** Null: of all owners. */
  owner: string | null;
  reviewed: boolean;
}

export interface FeedbackStore {
  put(feedback: Feedback): Promise<void>;
  get(messageId: string): Promise<Feedback | undefined>;
  /** Replaces the stored feedback by `after` if it still equals `before`; returns whether it did. */
  replace(before: Feedback, after: Feedback): Promise<boolean>;
  /** Newest answers first. */
  bad(filter: BadAnswerFilter, page: PageRequest<[messageId: string]>): Promise<Page<BadAnswer>>;
}
