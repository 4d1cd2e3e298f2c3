/** Formats times and durations. */
import { useEffect, useState } from 'react';
import { useConnection } from '../../service/connection.ts';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const FULL = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['month', 30 * 86_400_000],
  ['year', 365 * 86_400_000],
];

/** The time elapsed since `at`, with the exact time as a tooltip. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={FULL.format(new Date(at))}>
      {agoText(Date.parse(at), Date.now())}
    </time>
  );
}

/** The time of day, with the date as a tooltip. */
export function Clock({ at }: { at: string }) {
  return (
    <time dateTime={at} title={FULL.format(new Date(at))}>
      {CLOCK.format(new Date(at))}
    </time>
  );
}

function agoText(then: number, now: number): string {
  const past = now - then;
  const [unit, size] = STEPS.findLast(([, size]) => past >= size) ?? [undefined, 1];
  return unit ? RELATIVE.format(-Math.floor(past / size), unit) : 'now';
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  return `${minutes} min ${Math.floor((milliseconds % 60_000) / 1_000)} s`;
}

/** A running duration. It pauses while the connection is lost. */
export function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now());
  const isKnown = useConnection() === 'open';
  useEffect(() => {
    if (!isKnown) return;
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, [isKnown]);
  return <>{durationText(Math.max(0, now - since))}</>;
}
