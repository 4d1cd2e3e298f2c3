/** One conversation as the page holds it: what is stored of the thread, and the turns that go on now. */
import { SkeinApiError } from '../../client/api-error.ts';
import { uuid } from '../../client/uuid.ts';
import type { ResumeRequest } from '../../server/chat/resume.ts';
import { isOver } from '../data/run-ended.ts';
import { cancelRun } from '../data/runs.ts';
import { type Message, messageList, type RunHead, readThreadWithRuns, type Thread } from '../data/threads.ts';
import { type LiveRun, liveRun } from '../run/live-run.ts';
import { questionOf, type TurnRequest } from './turn-request.ts';
import { answering, following, sending } from './turn-streams.ts';

export interface ConversationView {
  threadId: string | undefined;
  /** Undefined until it is read, and for a thread that does not exist yet. */
  thread: Thread | undefined;
  messages: Message[];
  /** There are older ones, which `older` reads. */
  hasOlder: boolean;
  /** Without an answer among the messages: what failed, newest first. */
  failed: RunHead[];
  turns: Turn[];
  /** The last that was accepted, as far as it is known. */
  newestRun: string | undefined;
  /** The message of the turn that waits for a person: it is not among the messages yet. */
  waitingPrompt: string | undefined;
  /** The workflow to which this page has sent last. */
  sentTo: string | undefined;
  /** What the service suggests to ask next, after a turn that this page has watched. */
  suggestions: string[];
  loading: boolean;
  error: Error | undefined;
}

/** A turn that this page watches. */
export interface Turn {
  key: string;
  prompt: string | undefined;
  /** What was sent, to send it again; undefined where it was not this page's, or an answer. */
  request: TurnRequest | undefined;
  live: LiveRun;
}

export interface Conversation {
  /** Of this page's life. */
  readonly key: string;
  view(): ConversationView;
  subscribe(changed: () => void): () => void;
  /** Reads everything anew. */
  reload(): Promise<void>;
  /** Reads a page of older messages. */
  older(): Promise<void>;
  send(request: TurnRequest, workflow: string): void;
  /** Answers what the thread waits for, all or some of it; without any answer, a thread that stopped goes on. */
  answer(answers: Answers): void;
  /** Takes the failed turn out of the page. */
  dismiss(turn: Turn): void;
  close(): void;
}

export type Answers = Pick<ResumeRequest, 'value' | 'values' | 'step'>;

export interface ConversationOptions {
  /** Undefined for one that has no thread yet. */
  threadId: string | undefined;
  /** The thread has its id. */
  onThread(threadId: string): void;
  /** Something began or ended, so lists that show it are old. */
  onChange(): void;
}

/** Of these there may be nothing among the messages: of a cancelled one there is what it had said. */
const LOST: ReadonlySet<string> = new Set(['failed', 'cancelled']);

let opened = 0;

export function openConversation({ threadId, onThread, onChange }: ConversationOptions): Conversation {
  const listeners = new Set<() => void>();
  const stored = messageList();
  // Named here, so that a second message that is sent before the first is accepted goes to the same thread.
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

  /** One at a time: two that overlap would watch the same run. */
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
      // What was over when it was read is among the messages now, or among the failed; so is what ended before the messages were read.
      const over = new Set(
        runs.filter((run) => isOver(run) || answered.has(run.run_id)).map(({ run_id }) => run_id),
      );
      const watched = new Set(view.turns.map(({ live }) => live.view().run?.run_id));
      // A turn that has just been sent is one of those runs, and nobody knows yet which.
      const isSending = view.turns.some(({ live }) => !live.view().run && !live.view().failure);
      const fresh = isSending
        ? []
        : runs.filter(({ run_id }) => !over.has(run_id) && !watched.has(run_id)).toReversed();
      const going = view.turns.filter(({ live }) => !over.has(live.view().run?.run_id ?? ''));
      const failed = runs.filter(({ status, run_id }) => LOST.has(status) && !answered.has(run_id));
      const newestRun = runs[0]?.run_id;
      const waitingPrompt = runs.find(({ status }) => status === 'interrupted')?.user_prompt;
      const { hasOlder } = stored;
      const read = { thread, messages, hasOlder, failed, turns: going, newestRun, waitingPrompt };
      change({ ...read, loading: false, error: undefined });
      for (const run of fresh) watch({ prompt: run.user_prompt, request: undefined }, following(run.run_id));
    } catch (error) {
      if (isUnknownThread(error)) change({ loading: false, thread: undefined });
      else change({ loading: false, error: error as Error });
    }
  }

  async function readAll(id: string) {
    // Before the messages: of a run that is over by then, they have the answer.
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
      const asked = { ...request, conversation_flow: workflow, thread_id: view.threadId ?? newThreadId };
      // A page that is reloaded or left is no reason to end a run.
      watch({ prompt: questionOf(request), request }, sending({ ...asked, on_disconnect: 'continue' }));
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

/** Also where it has just been sent: as soon as it is known which run it is. */
export async function cancelTurn({ live }: Turn): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const look = () => {
    const { run, failure } = live.view();
    if (run || failure) resolve(run?.run_id);
  };
  const stop = live.subscribe(look);
  look();
  const runId = await promise;
  stop();
  if (runId !== undefined) await cancelRun(runId);
}

/** The first message makes a thread of that id. */
function isUnknownThread(error: unknown): boolean {
  return error instanceof SkeinApiError && error.code === 'THREAD_NOT_FOUND';
}
