/** The editor of a call, with a form that sends it and the answers beside the recorded one. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { replayCall } from '../data/runs/replay.ts';
import type { RunCall } from '../data/runs/runs.ts';
import { Elapsed } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { type Answer, Answers } from './answers.tsx';
import { type EditedCall, editedFrom } from './edited-call.ts';
import { MessageList } from './message-list.tsx';
import { problemsOf, requestOf } from './replay-request.ts';
import { SamplingFields } from './sampling-fields.tsx';
import { savedState, saveState } from './saved-state.ts';
import { ToolList } from './tool-list.tsx';

interface PlaygroundProps {
  run: string;
  /** The index of the call in its run, from 0. */
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

const MAX_TIMES = 10;
/** Older answers are removed. */
const MAX_ANSWERS = 40;

export function Playground({ run, index, call, models, templates, maySend }: PlaygroundProps) {
  const key = `${run} ${index}`;
  const [edited, setEdited] = useState(() => savedState(key)?.edited ?? editedFrom(call, models, templates));
  const [times, setTimes] = useState('1');
  const [sending, setSending] = useState<Sending>();
  const [answers, setAnswers] = useState<Answer[]>(() => savedState(key)?.answers ?? []);
  const [error, setError] = useState<Error>();
  const latest = useRef<Sending>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const count = useRef(Math.max(0, ...answers.map(({ number }) => number)));
  const id = useId();
  // Cancel the calls when the page closes.
  useEffect(() => () => latest.current?.stop.abort(), []);
  useEffect(() => saveState(key, { edited, answers }), [key, edited, answers]);
  const problems = problemsOf(edited);
  const isReady = maySend && !sending && edited.messages.length > 0 && Object.keys(problems).length === 0;
  const change = (changes: Partial<EditedCall>) => setEdited((before) => ({ ...before, ...changes }));

  async function send() {
    const started = { since: Date.now(), stop: new AbortController() };
    latest.current = started;
    setSending(started);
    setError(undefined);
    try {
      const request = await requestOf(edited, call, Number(times));
      const calls = await replayCall(run, request, started.stop.signal);
      const { temperature } = request;
      const added = calls.map((answered) => ({ number: ++count.current, call: answered, temperature }));
      setAnswers((before) => [...added, ...before].slice(0, MAX_ANSWERS));
    } catch (thrown) {
      if (!started.stop.signal.aborted)
        setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    setSending(undefined);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.current?.requestSubmit();
  }
  return (
    <div className="playground-sides">
      <form
        ref={form}
        className="playground-call"
        aria-label="Call"
        onKeyDown={onKeyDown}
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
            max={MAX_TIMES}
            required
            value={times}
            onChange={(event) => setTimes(event.target.value)}
          />
          <button type="submit" className="button primary" aria-disabled={!isReady} title="Ctrl Enter">
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
            title="Reset to the recorded call"
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
