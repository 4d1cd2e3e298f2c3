/** A list of messages, each with its role and its words; messages come and go. */
import { Icon } from '../parts/icon.tsx';
import type { StateMessage } from './state-fields.ts';

interface MessageFieldsProps {
  name: string;
  messages: StateMessage[];
  change(messages: StateMessage[]): void;
}

const ROLES = ['user', 'assistant', 'system'];

export function MessageFields({ name, messages, change }: MessageFieldsProps) {
  return (
    <fieldset className="state-messages stack">
      <legend>
        <code>{name}</code>
      </legend>
      {messages.map((message, index) => (
        <MessageField
          // biome-ignore lint/suspicious/noArrayIndexKey: a message may have no id
          key={index}
          place={`${name} ${index + 1}`}
          message={message}
          change={(changed) => change(messages.with(index, changed))}
          remove={() => change(messages.toSpliced(index, 1))}
        />
      ))}
      <button
        type="button"
        className="button small"
        onClick={() => change([...messages, { role: 'user', content: '' }])}
      >
        <Icon name="plus" size={12} />
        Add a message
      </button>
    </fieldset>
  );
}

interface MessageFieldProps {
  place: string;
  message: StateMessage;
  change(message: StateMessage): void;
  remove(): void;
}

function MessageField({ place, message, change, remove }: MessageFieldProps) {
  const { role, content } = message;
  return (
    <div className="state-message">
      <div className="row">
        <select
          className="field"
          aria-label={`Role of ${place}`}
          value={role}
          onChange={(event) => change({ ...message, role: event.target.value })}
        >
          {(ROLES.includes(role) ? ROLES : [role]).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <span className="grow muted small cut">{callsOf(message)}</span>
        <button
          type="button"
          className="button small icon quiet"
          aria-label={`Remove ${place}`}
          onClick={remove}
        >
          <Icon name="close" size={12} />
        </button>
      </div>
      {typeof content === 'string' ? (
        <textarea
          className="field growing"
          rows={1}
          dir="auto"
          aria-label={`Content of ${place}`}
          value={content}
          onChange={(event) => change({ ...message, content: event.target.value })}
        />
      ) : (
        <p className="muted small">It has parts: change them as JSON.</p>
      )}
    </div>
  );
}

function callsOf({ tool_calls, name }: StateMessage): string {
  const calls = Array.isArray(tool_calls) ? tool_calls.map((call) => String(call?.name)) : [];
  if (calls.length > 0) return `calls ${calls.join(', ')}`;
  return typeof name === 'string' ? name : '';
}
