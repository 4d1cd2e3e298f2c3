/** What lasts: threads, runs, messages, events, feedback, items and checkpoints, behind small async interfaces. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { RunSaver, SavedRun } from './checkpoints.ts';
import type { Coordination } from './coordination.ts';
import type { Events } from './events.ts';
import type { Items } from './items/items.ts';
import type { Runs } from './runs.ts';
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

export interface Feedback {
  message_id: string;
  thread_id: string;
  user_id: string | null;
  positive_feedback: boolean | null;
  rating: number | null;
  comment: string | null;
  tags: string[];
  updated_at: string;
}

export interface FeedbackStore {
  put(feedback: Feedback): Promise<void>;
  get(messageId: string): Promise<Feedback | undefined>;
}
