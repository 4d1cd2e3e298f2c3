/** An edited call, and what it was answered: sent as often as one likes, each answer beside the recorded one. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { replayCall } from '../data/replay.ts';
import type { RunCall } from '../data/runs.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { Elapsed } from '../parts/time.tsx';
import { type Answer, Answers } from './answers.tsx';
import { type EditedCall, editedFrom } from './edited-call.ts';
import { leave, leftAt } from './left-call.ts';
import { MessageList } from './message-list.tsx';
import { problemsOf, requestOf } from './replay-request.ts';
import { SamplingFields } from './sampling-fields.tsx';
import { ToolList } from './tool-list.tsx';

interface PlaygroundProps {
  run: string;
  /** Of the call in its run, from 0. */
  index: number;
  call: RunCall;
  models: string[];
  /** The texts of the call's prompt files. */
  templates: (string | undefined)[];
  maySend: boolean;
}

interface Sending {
  since: number;
  stop: AbortController;
}

const MOST_TIMES = 10;
/** Older ones go. */
const MOST_ANSWERS = 40;

export function Playground({ run, index, call, models, templates, maySend }: PlaygroundProps) {
  const place = `${run} ${index}`;
  const [edited, setEdited] = useState(() => leftAt(place)?.edited ?? editedFrom(call, models, templates));
  const [times, setTimes] = useState('1');
  const [sending, setSending] = useState<Sending>();
  const [answers, setAnswers] = useState<Answer[]>(() => leftAt(place)?.answers ?? []);
  const [error, setError] = useState<Error>();
  const latest = useRef<Sending>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const count = useRef(Math.max(0, ...answers.map(({ number }) => number)));
  const id = useId();
  // Nobody would see its end.
  useEffect(() => () => latest.current?.stop.abort(), []);
  useEffect(() => leave(place, { edited, answers }), [place, edited, answers]);
  const problems = problemsOf(edited);
  const isReady = maySend && !sending && edited.messages.length > 0 && Object.keys(problems).length === 0;
  const change = (changes: Partial<EditedCall>) => setEdited((before) => ({ ...before, ...changes }));

  async function send() {
    const begun = { since: Date.now(), stop: new AbortController() };
    latest.current = begun;
    setSending(begun);
    setError(undefined);
    try {
      const request = await requestOf(edited, call, Number(times));
      const calls = await replayCall(run, request, begun.stop.signal);
      const { temperature } = request;
      const added = calls.map((answered) => ({ number: ++count.current, call: answered, temperature }));
      setAnswers((before) => [...added, ...before].slice(0, MOST_ANSWERS));
    } catch (thrown) {
      if (!begun.stop.signal.aborted) setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    setSending(undefined);
  }

  function key(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.current?.requestSubmit();
  }
  return (
    <div className="playground-sides">
      <form
        ref={form}
        className="playground-call"
        aria-label="The call"
        onKeyDown={key}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void send();
        }}
      >
        <MessageList
          messages={edited.messages}
          problems={problems}
          change={(messages) => change({ messages })}
        />
        <ToolList edited={edited} problems={problems} change={change} />
        <SamplingFields
          edited={edited}
          models={models}
          recorded={call.model}
          problems={problems}
          change={change}
        />
        <div className="row wrap playground-send">
          <label className="row small" htmlFor={`${id}-times`}>
            Times
          </label>
          <input
            id={`${id}-times`}
            className="field turns"
            type="number"
            min={1}
            max={MOST_TIMES}
            required
            value={times}
            onChange={(event) => setTimes(event.target.value)}
          />
          <button type="submit" className="button primary" disabled={!isReady} title="Ctrl Enter">
            <Icon name="play" size={14} />
            Send
          </button>
          {sending && (
            <>
              <button type="button" className="button" onClick={() => sending.stop.abort()}>
                <Icon name="stop" size={14} />
                Cancel
              </button>
              <span className="row small muted">
                <progress aria-label="Model calls" />
                <Elapsed since={sending.since} />
              </span>
            </>
          )}
          <span className="grow" />
          <button
            type="button"
            className="button quiet"
            title="As it was recorded"
            onClick={() => setEdited(editedFrom(call, models, templates))}
          >
            Reset
          </button>
        </div>
        {error && <ErrorNote error={error} />}
      </form>
      <Answers recorded={call} answers={answers} clear={() => setAnswers([])} />
    </div>
  );
}
