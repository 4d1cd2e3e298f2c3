/** Shares a session between the tabs of a browser: a new tab gets it from an open one, and it ends with the last tab. */

export interface TabSession<Tokens> {
  /** Asks the other tabs for tokens. Resolves when one has sent them, or after a short wait. */
  request(): Promise<void>;
  /** Sends the tokens to the other tabs. */
  share(tokens: Tokens): void;
  /** Ends the session in all tabs. */
  end(): void;
  /** Runs `work` in one tab at a time. `work` must check whether another tab has already done the same. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

interface TabSessionOptions<Tokens> {
  current(): Tokens | undefined;
  onTokens(tokens: Tokens): void;
  onEnd(): void;
}

type Message<Tokens> = { kind: 'request' } | { kind: 'tokens'; tokens: Tokens } | { kind: 'end' };

// Tabs in the background answer within a few milliseconds, unless the browser has frozen them.
const TIMEOUT_MS = 250;

export function createTabSession<Tokens>(
  name: string,
  { current, onTokens, onEnd }: TabSessionOptions<Tokens>,
): TabSession<Tokens> {
  const channel = new BroadcastChannel(name);
  let answered: (() => void) | undefined;
  const send = (message: Message<Tokens>) => channel.postMessage(message);

  channel.addEventListener('message', ({ data }: MessageEvent<Message<Tokens>>) => {
    const own = current();
    if (data.kind === 'request' && own) send({ kind: 'tokens', tokens: own });
    if (data.kind === 'end') onEnd();
    if (data.kind !== 'tokens') return;
    onTokens(data.tokens);
    answered?.();
  });
  return {
    async request() {
      const wait = Promise.withResolvers<void>();
      answered = wait.resolve;
      const timer = setTimeout(wait.resolve, TIMEOUT_MS);
      send({ kind: 'request' });
      await wait.promise;
      clearTimeout(timer);
    },
    share: (tokens) => send({ kind: 'tokens', tokens }),
    end: () => send({ kind: 'end' }),
    // The Web Locks API is missing on pages that were loaded over plain HTTP from another machine.
    exclusively: (work) => navigator.locks?.request(`${name} renewal`, work) ?? work(),
  };
}
