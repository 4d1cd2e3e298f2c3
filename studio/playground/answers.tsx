/** The recorded answer and the answers to edited calls, side by side, with changes from a selected one highlighted. */
import { useEffect, useRef, useState } from 'react';
import type { ReplayedCall } from '../data/runs/replay.ts';
import type { RunCall } from '../data/runs/runs.ts';
import { AnswerCard } from './answer-card.tsx';

export interface Answer {
  /** The number of the answer since the page was opened, from 1. */
  number: number;
  call: ReplayedCall;
  /** The temperature of the request. */
  temperature: number | undefined;
}

interface AnswersProps {
  recorded: RunCall;
  /** Newest first. */
  answers: Answer[];
  clear(): void;
}

const RECORDED = 0;
// Up to this width, answers are below the call. Must equal the width in playground.css.
const STACKED = '(max-width: 1000px)';

export function Answers({ recorded, answers, clear }: AnswersProps) {
  const [base, setBase] = useState(RECORDED);
  const heading = useRef<HTMLHeadingElement>(null);
  const newest = answers[0]?.number;
  useEffect(() => {
    if (newest !== undefined && matchMedia(STACKED).matches) heading.current?.scrollIntoView();
  }, [newest]);
  const chosen = answers.find(({ number }) => number === base);
  const against = chosen ? chosen.call.response : recorded.response;
  const baseNumber = chosen?.number ?? RECORDED;
  // In the recorded answer, removed words are only marked if there is a single answer to compare with.
  const only = answers.length === 1 && !chosen ? answers[0] : undefined;
  const failed = answers.filter(({ call }) => call.error_code !== undefined).length;
  return (
    <section className="stack playground-answers" aria-label="Answers">
      <div className="row wrap spread">
        <h2 ref={heading}>Answers</h2>
        {answers.length > 0 && (
          <div className="row wrap">
            <label className="row small">
              Highlight changes from
              <select
                className="field"
                value={baseNumber}
                onChange={(event) => setBase(Number(event.target.value))}
              >
                <option value={RECORDED}>Recorded answer</option>
                {answers.map(({ number }) => (
                  <option key={number} value={number}>
                    Answer {number}
                  </option>
                ))}
              </select>
            </label>
            <button type="button" className="button small quiet" onClick={clear}>
              Clear
            </button>
          </div>
        )}
      </div>
      <p className={answers.length === 0 ? 'muted small' : 'visually-hidden'} role="status">
        {answers.length === 0
          ? 'Edit the call and send it to compare the answers with the recorded one.'
          : `${answers.length} ${answers.length === 1 ? 'answer' : 'answers'}, ${failed} failed`}
      </p>
      <ul className="playground-cards">
        <li>
          <AnswerCard
            title="Recorded"
            call={recorded}
            against={baseNumber === RECORDED ? (only?.call.response ?? undefined) : against}
            marks={baseNumber === RECORDED ? 'removed' : 'added'}
          />
        </li>
        {answers.map(({ number, call, temperature }) => (
          <li key={number}>
            <AnswerCard
              title={`Answer ${number}`}
              call={call}
              toolCalls={call.tool_calls}
              temperature={temperature}
              finish={call.finish_reason}
              against={number === baseNumber ? undefined : against}
              marks="added"
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
