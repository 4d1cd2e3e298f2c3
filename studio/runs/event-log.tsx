/** The events of a run with their ids, as in its stream. */
import { useState } from 'react';
import type { RunStreamEvent } from '../../client/run-events.ts';
import { Json } from '../parts/json/json.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';

const ROW = 26;

export function EventLog({ log, count }: { log: RunStreamEvent[]; count: number }) {
  const [opened, setOpened] = useState<number>();
  const event = opened === undefined ? undefined : log[opened];
  if (count === 0) return <p className="muted small">The events of this run are no longer available.</p>;
  return (
    <div className="event-log" data-open={event !== undefined}>
      <VirtualList
        label={`${count} events`}
        count={count}
        rowHeight={ROW}
        follow
        row={(index) => {
          const one = log[index];
          return (
            one && (
              <button
                type="button"
                className="event"
                aria-pressed={index === opened}
                onClick={() => setOpened(index === opened ? undefined : index)}
              >
                <span className="muted">{one.id}</span>
                <span className="kind">{one.event}</span>
                <span className="cut">{lineOf(one)}</span>
              </button>
            )
          );
        }}
      />
      {event && <Json value={event.data} />}
    </div>
  );
}

const MAX_LINE = 300;

function lineOf(event: RunStreamEvent): string {
  switch (event.event) {
    case 'agent':
      return `${event.data.agent} ${event.data.state}`;
    case 'token':
    case 'status':
      return `${event.data.agent}: ${event.data.text.slice(0, MAX_LINE)}`;
    case 'error':
      return event.data.message;
    case 'response':
      return event.data.agent_response.slice(0, MAX_LINE);
    default:
      return JSON.stringify(event.data).slice(0, MAX_LINE);
  }
}
