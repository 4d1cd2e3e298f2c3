/** The recorded answer and those to what was sent since, side by side, with the words that differ from a chosen one. */
import { useEffect, useRef, useState } from 'react';
import type { ReplayedCall } from '../data/replay.ts';
import type { RunCall } from '../data/runs.ts';
import { AnswerCard } from './answer-card.tsx';

export interface Answer {
  /** Counted from 1 since the page was opened. */
  number: number;
  call: ReplayedCall;
  /** As it was asked for. */
  temperature: number | undefined;
}

interface AnswersProps {
  recorded: RunCall;
  /** The newest first. */
  answers: Answer[];
  clear(): void;
}

const RECORDED = 0;
// Where they stand below the call: as in playground.css.
const BELOW = '(max-width: 1000px)';

export function Answers({ recorded, answers, clear }: AnswersProps) {
  const [base, setBase] = useState(RECORDED);
  const heading = useRef<HTMLHeadingElement>(null);
  const newest = answers[0]?.number;
  useEffect(() => {
    if (newest !== undefined && matchMedia(BELOW).matches) heading.current?.scrollIntoView();
  }, [newest]);
  const chosen = answers.find(({ number }) => number === base);
  const against = chosen ? chosen.call.response : recorded.response;
  const baseNumber = chosen?.number ?? RECORDED;
  // Words that went are marked where it is clear in which answer.
  const only = answers.length === 1 && !chosen ? answers[0] : undefined;
  const failed = answers.filter(({ call }) => call.error_code !== undefined).length;
  return (
    <section className="stack playground-answers" aria-label="Answers">
      <div className="row wrap spread">
        <h2 ref={heading}>Answers</h2>
        {answers.length > 0 && (
          <div className="row wrap">
            <label className="row small">
              Mark what differs from
              <select
                className="field"
                value={baseNumber}
                onChange={(event) => setBase(Number(event.target.value))}
              >
                <option value={RECORDED}>the recorded answer</option>
                {answers.map(({ number }) => (
                  <option key={number} value={number}>
                    answer {number}
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
          ? 'Change the call and send it. Its answers are shown beside the recorded one.'
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
