/** What a thread waits for: the answer to one question or several, or the continuation after a breakpoint. */
import { useState } from 'react';
import { nodeOf } from '../../data/runs/node-id.ts';
import type { Thread } from '../../data/threads/threads.ts';
import { Icon } from '../../parts/icon.tsx';
import type { Answers } from '../conversation/conversation.ts';
import { Question } from '../messages/question.tsx';
import { Interrupt } from './interrupt.tsx';

export interface WaitingProps {
  thread: Pick<Thread, 'interrupts' | 'stopped_at'>;
  /** The question of the turn that waits. */
  prompt: string | undefined;
  /** Undefined if an operator looks at another caller's thread. */
  answer: ((answers: Answers) => void) | undefined;
}

export function Waiting({ thread, prompt, answer }: WaitingProps) {
  return (
    <>
      {prompt !== undefined && <Question text={prompt} />}
      {answer && <Pending thread={thread} answer={answer} />}
    </>
  );
}

interface PendingProps {
  thread: WaitingProps['thread'];
  answer(answers: Answers): void;
}

function Pending({ thread: { interrupts, stopped_at }, answer }: PendingProps) {
  const [only] = interrupts;
  if (!only) return <Stopped stops={stopped_at} resume={answer} />;
  if (interrupts.length > 1) return <Several interrupts={interrupts} answer={answer} />;
  return <Interrupt value={only.value} from={undefined} answer={(value) => answer({ value })} />;
}

const nameOf = (asker: { agent: string; path: string[] }) => nodeOf(asker).replaceAll(':', ' › ');

/** Several questions. The answers are sent together, because the graph continues with all of them together. */
function Several({ interrupts, answer }: Pick<Thread, 'interrupts'> & Pick<PendingProps, 'answer'>) {
  const [values, setValues] = useState<Record<string, unknown>>({});
  const given = Object.keys(values).length;
  const remaining = interrupts.length - given;
  function change(id: string) {
    setValues(({ [id]: _, ...others }) => others);
  }
  return (
    <section className="stack" aria-label="Waiting for your answers">
      {interrupts.map((one) => {
        const { interrupt_id: id, value } = one;
        if (Object.hasOwn(values, id))
          return <Answered key={id} name={nameOf(one)} value={values[id]} change={() => change(id)} />;
        const keep = (given: unknown) => setValues((before) => ({ ...before, [id]: given }));
        return <Interrupt key={id} value={value} from={nameOf(one)} answer={keep} />;
      })}
      <div className="row wrap">
        <button
          type="button"
          className="button primary"
          disabled={given === 0}
          onClick={() => answer({ values })}
        >
          {remaining === 0 ? `Send ${given} answers` : `Send ${given} of ${interrupts.length} answers`}
        </button>
        <span className="muted small">
          {remaining > 0 &&
            given > 0 &&
            `${remaining} ${remaining === 1 ? 'question' : 'questions'} left unanswered.`}
        </span>
      </div>
    </section>
  );
}

function Answered({ name, value, change }: { name: string; value: unknown; change(): void }) {
  return (
    <section className="interrupt" data-answered="true" aria-label={`Answer to ${name}`}>
      <div className="row">
        <Icon name="check" />
        <code className="cut">{name}</code>
        <code className="grow cut muted">{JSON.stringify(value)}</code>
        <button type="button" className="button small quiet" onClick={change}>
          Change
        </button>
      </div>
    </section>
  );
}

function Stopped({ stops, resume }: { stops: Thread['stopped_at']; resume(answers: Answers): void }) {
  return (
    <section className="interrupt" aria-label="Run stopped">
      <div className="row wrap">
        <span className="dot waiting" />
        <p className="grow">
          {stops.length === 0 && 'The run stopped.'}
          {stops.map((stop, index) => (
            <span key={`${stop.when} ${nodeOf(stop)}`}>
              {index === 0 ? 'Stopped ' : ', '}
              {stop.when} <code>{nameOf(stop)}</code>
            </span>
          ))}
        </p>
        <button type="button" className="button" onClick={() => resume({ step: true })}>
          Step
        </button>
        <button type="button" className="button primary" onClick={() => resume({})}>
          <Icon name="play" size={14} />
          Continue
        </button>
      </div>
    </section>
  );
}
