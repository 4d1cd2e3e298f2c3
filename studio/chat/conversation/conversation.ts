/** The state of one conversation: its stored thread, and the turns that are running. */
import { SkeinApiError } from '../../../client/api-error.ts';
import { uuid } from '../../../client/uuid.ts';
import type { ResumeRequest } from '../../../server/chat/resume.ts';
import { isOver } from '../../data/runs/run-ended.ts';
import { cancelRun } from '../../data/runs/runs.ts';
import {
  type Message,
  messageList,
  type RunHead,
  readThreadWithRuns,
  type Thread,
} from '../../data/threads/threads.ts';
import { type LiveRun, liveRun } from '../../run/live-run.ts';
import { questionOf, type TurnRequest } from './turn-request.ts';
import { answering, following, sending } from './turn-streams.ts';

export interface ConversationView {
  threadId: string | undefined;
  /** Undefined until it is loaded, and for a thread that doesn't exist yet. */
  thread: Thread | undefined;
  messages: Message[];
  /** Whether there are older messages, which `older` loads. */
  hasOlder: boolean;
  /** Failed and cancelled runs that have no answer among the messages, newest first. */
  failed: RunHead[];
  turns: Turn[];
  /** The id of the latest run that is known. */
  newestRun: string | undefined;
  /** The question of the turn that waits for a person. It isn't among the messages yet. */
  waitingPrompt: string | undefined;
  /** The workflow of the last request from this page. */
  sentTo: string | undefined;
  /** The follow-up questions after a turn that this page has watched. */
  suggestions: string[];
  loading: boolean;
  error: Error | undefined;
}

/** A turn that this page watches. */
export interface Turn {
  key: string;
  prompt: string | undefined;
  /** The request, for a retry; undefined if another page sent it, or if it was an answer to a question. */
  request: TurnRequest | undefined;
  live: LiveRun;
}

export interface Conversation {
  /** A React key, unique until the page is reloaded. */
  readonly key: string;
  view(): ConversationView;
  subscribe(changed: () => void): () => void;
  /** Reloads the thread, its messages and its runs. */
  reload(): Promise<void>;
  /** Loads a page of older messages. */
  older(): Promise<void>;
  send(request: TurnRequest, workflow: string): void;
  /** Answers some or all questions of the thread. Without an answer, continues a thread that stopped at a breakpoint. */
  answer(answers: Answers): void;
  /** Removes a failed turn from the page. */
  dismiss(turn: Turn): void;
  close(): void;
}

export type Answers = Pick<ResumeRequest, 'value' | 'values' | 'step'>;

export interface ConversationOptions {
  /** Undefined for a new conversation. */
  threadId: string | undefined;
  /** Called when a new conversation gets its thread. */
  onThread(threadId: string): void;
  /** Called when a turn starts or ends, so that lists can be reloaded. */
  onChange(): void;
}

/** Runs with these statuses may have no message. A cancelled run has one if it had already written text. */
const MAY_LACK_ANSWER: ReadonlySet<string> = new Set(['failed', 'cancelled']);

let opened = 0;

export function openConversation({ threadId, onThread, onChange }: ConversationOptions): Conversation {
  const listeners = new Set<() => void>();
  const stored = messageList();
  // Chosen here, so that a second message that is sent before the first is accepted goes to the same thread.
  const newThreadId = uuid();
  let closed = false;
  let turnNumber = 0;
  let view: ConversationView = {
    threadId,
    ...{
      thread: undefined,
      messages: [],
      hasOlder: false,
      failed: [],
      turns: [],
      newestRun: undefined,
      error: undefined,
    },
    waitingPrompt: undefined,
    sentTo: undefined,
    suggestions: [],
    loading: threadId !== undefined,
  };

  function change(next: Partial<ConversationView>): void {
    if (closed) return;
    view = { ...view, ...next };
    for (const listener of listeners) listener();
  }

  let reading: Promise<void> | undefined;
  let again = false;
  let readingOlder = false;

  /** Reads one at a time, because two overlapping reads would watch the same run twice. */
  function reload(): Promise<void> {
    again = reading !== undefined;
    reading ??= readOnce().finally(() => {
      reading = undefined;
      if (again && !closed) void reload();
    });
    return reading;
  }

  async function readOnce(): Promise<void> {
    const id = view.threadId;
    if (id === undefined) return;
    try {
      const { thread, messages, runs } = await readAll(id);
      const answered = new Set(messages.map(({ run_id }) => run_id));
      // Turns of these runs are now among the messages or the failed runs. A run may end between the two requests.
      const ended = new Set(
        runs.filter((run) => isOver(run) || answered.has(run.run_id)).map(({ run_id }) => run_id),
      );
      const watched = new Set(view.turns.map(({ live }) => live.view().run?.run_id));
      // A turn that was just sent is one of these runs, but it isn't known yet which.
      const isSending = view.turns.some(({ live }) => !live.view().run && !live.view().failure);
      const fresh = isSending
        ? []
        : runs.filter(({ run_id }) => !ended.has(run_id) && !watched.has(run_id)).toReversed();
      const active = view.turns.filter(({ live }) => !ended.has(live.view().run?.run_id ?? ''));
      const failed = runs.filter(
        ({ status, run_id }) => MAY_LACK_ANSWER.has(status) && !answered.has(run_id),
      );
      const newestRun = runs[0]?.run_id;
      const waitingPrompt = runs.find(({ status }) => status === 'interrupted')?.user_prompt;
      const { hasOlder } = stored;
      const read = { thread, messages, hasOlder, failed, turns: active, newestRun, waitingPrompt };
      change({ ...read, loading: false, error: undefined });
      for (const run of fresh) watch({ prompt: run.user_prompt, request: undefined }, following(run.run_id));
    } catch (error) {
      if (isUnknownThread(error)) change({ loading: false, thread: undefined });
      else change({ loading: false, error: error as Error });
    }
  }

  async function readAll(id: string) {
    // Read runs before messages, so that the messages include the answers of all runs that have ended.
    const { runs = [], ...thread } = await readThreadWithRuns(id);
    const messages = await stored.readNewest(id);
    return { thread, messages, runs };
  }

  type Watched = Pick<Turn, 'prompt' | 'request'>;

  function watch(watched: Watched, listen: Parameters<typeof liveRun>[0]): void {
    const turn: Turn = { key: `turn-${turnNumber++}`, ...watched, live: liveRun(listen) };
    change({ turns: [...view.turns, turn], suggestions: [] });
    const stop = turn.live.subscribe(() => {
      const { run } = turn.live.view();
      if (!run) return;
      stop();
      if (view.threadId === undefined) {
        change({ threadId: run.thread_id });
        onThread(run.thread_id);
      }
      onChange();
    });
    void turn.live.over.then(() => {
      stop();
      if (closed) return;
      const { followup_questions = {} } = turn.live.view().response ?? {};
      change({ suggestions: Object.values(followup_questions) });
      onChange();
      void reload();
    });
  }

  return {
    key: `conversation-${opened++}`,
    view: () => view,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    reload,
    async older() {
      const id = view.threadId;
      if (id === undefined || readingOlder) return;
      readingOlder = true;
      try {
        const messages = await stored.readOlder(id);
        change({ messages, hasOlder: stored.hasOlder });
      } catch (error) {
        change({ error: error as Error });
      } finally {
        readingOlder = false;
      }
    },
    send(request, workflow) {
      change({ sentTo: workflow });
      const turn = { ...request, conversation_flow: workflow, thread_id: view.threadId ?? newThreadId };
      // The run continues if the page is reloaded or closed.
      watch({ prompt: questionOf(request), request }, sending({ ...turn, on_disconnect: 'continue' }));
    },
    answer(answers) {
      const { thread } = view;
      if (!thread) return;
      watch(
        { prompt: view.waitingPrompt, request: undefined },
        answering(thread, { ...answers, on_disconnect: 'continue' }),
      );
    },
    dismiss(turn) {
      change({ turns: view.turns.filter((one) => one !== turn) });
    },
    close() {
      closed = true;
      for (const { live } of view.turns) live.stop();
    },
  };
}

/** Cancels a turn. If it was just sent, waits until the id of its run is known. */
export async function cancelTurn({ live }: Turn): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const check = () => {
    const { run, failure } = live.view();
    if (run || failure) resolve(run?.run_id);
  };
  const stop = live.subscribe(check);
  check();
  const runId = await promise;
  stop();
  if (runId !== undefined) await cancelRun(runId);
}

/** An unknown thread isn't an error: the first message creates it. */
function isUnknownThread(error: unknown): boolean {
  return error instanceof SkeinApiError && error.code === 'THREAD_NOT_FOUND';
}
