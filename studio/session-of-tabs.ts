/** Hands a session from tab to tab of this browser: a new tab asks those that are open, and nothing outlives the last. */

export interface SessionOfTabs<Tokens> {
  /** Resolves when another tab has handed its tokens over, or none has any. */
  ask(): Promise<void>;
  /** Other tabs get the tokens. */
  hand(tokens: Tokens): void;
  /** Somebody has logged out: in all tabs. */
  end(): void;
  /** Runs `work` while no other tab does; it may find that another has done it. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

interface Parts<Tokens> {
  held(): Tokens | undefined;
  given(tokens: Tokens): void;
  over(): void;
}

type Message<Tokens> = { kind: 'ask' } | { kind: 'tokens'; tokens: Tokens } | { kind: 'over' };

// Tabs in the background answer within some milliseconds, unless the browser has frozen them.
const PATIENCE_MS = 250;

export function sessionOfTabs<Tokens>(
  name: string,
  { held, given, over }: Parts<Tokens>,
): SessionOfTabs<Tokens> {
  const channel = new BroadcastChannel(name);
  let answered: (() => void) | undefined;
  const send = (message: Message<Tokens>) => channel.postMessage(message);

  channel.addEventListener('message', ({ data }: MessageEvent<Message<Tokens>>) => {
    const own = held();
    if (data.kind === 'ask' && own) send({ kind: 'tokens', tokens: own });
    if (data.kind === 'over') over();
    if (data.kind !== 'tokens') return;
    given(data.tokens);
    answered?.();
  });
  return {
    async ask() {
      const wait = Promise.withResolvers<void>();
      answered = wait.resolve;
      const timer = setTimeout(wait.resolve, PATIENCE_MS);
      send({ kind: 'ask' });
      await wait.promise;
      clearTimeout(timer);
    },
    hand: (tokens) => send({ kind: 'tokens', tokens }),
    end: () => send({ kind: 'over' }),
    // Pages that came over plain HTTP from another machine have no locks.
    alone: (work) => navigator.locks?.request(`${name} renewal`, work) ?? work(),
  };
}
