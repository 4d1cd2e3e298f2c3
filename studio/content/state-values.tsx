/** The values of a state. Messages with parts are shown as messages, everything else as JSON. */
import { useState } from 'react';
import { LongText } from '../markdown/long-text.tsx';
import { Json } from '../parts/json/json.tsx';
import { partsIn } from '../parts/media/content-parts.ts';
import { Contents } from './contents.tsx';

interface StateValuesProps {
  values: object;
  open: number;
}

const PAGE_SIZE = 20;

export function StateValues({ values, open }: StateValuesProps) {
  const entries = Object.entries(values);
  const channels = entries.filter(([, value]) => hasParts(value));
  const others = entries.filter(([, value]) => !hasParts(value));
  return (
    <>
      {channels.map(([name, value]) => (
        <Messages key={name} name={name} messages={value as Message[]} />
      ))}
      {(others.length > 0 || channels.length === 0) && (
        <Json value={Object.fromEntries(others)} open={open} />
      )}
    </>
  );
}

/** One value of a state, which may be a message. */
export function StateValue({ value, open }: { value: unknown; open: number }) {
  if (isMessage(value) && partsIn(value.content)) return <MessageCard message={value} />;
  return <Json value={value} open={open} />;
}

interface Message {
  role?: unknown;
  type?: unknown;
  content: unknown;
}

/** Whether the value is a list of messages, with content parts in at least one. */
function hasParts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isMessage) && value.some(({ content }) => partsIn(content));
}

function isMessage(value: unknown): value is Message {
  const { role, type, content } = (value ?? {}) as Partial<Message>;
  return typeof (role ?? type) === 'string' && content !== undefined;
}

function Messages({ name, messages }: { name: string; messages: Message[] }) {
  const [shown, setShown] = useState(PAGE_SIZE);
  const first = Math.max(0, messages.length - shown);
  return (
    <section className="stack" aria-label={name}>
      <h4 className="muted">{name}</h4>
      {first > 0 && (
        <button type="button" className="button small quiet" onClick={() => setShown(shown + 5 * PAGE_SIZE)}>
          Show earlier messages ({first})
        </button>
      )}
      {messages.slice(first).map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their order
        <MessageCard key={first + index} message={message} />
      ))}
    </section>
  );
}

function MessageCard({ message }: { message: Message }) {
  const { role, type, content, ...more } = message;
  const parts = partsIn(content);
  return (
    <div className="state-message">
      <h5 className="muted small">{String(role ?? type)}</h5>
      {parts ? (
        <Contents parts={parts} />
      ) : typeof content === 'string' ? (
        <LongText text={content} />
      ) : (
        <Json value={content} />
      )}
      {Object.keys(more).length > 0 && (
        <details>
          <summary className="small muted">Other fields</summary>
          <Json value={more} open={1} />
        </details>
      )}
    </div>
  );
}
