/** The call playground: edit a recorded model call, send it again and compare the answers. */
import { useState } from 'react';
import { readCalls } from '../data/runs/runs.ts';
import { ReadingNote } from '../owner/reading-note.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import type { PageProps } from '../routing/page-props.ts';
import { address } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { readTemplates } from './edited-call.ts';
import { Playground } from './playground.tsx';
import './playground.css';

export default function PlaygroundPage({ query }: PageProps) {
  const run = query.get('run') ?? '';
  const call = query.get('call') ?? '';
  if (run === '' || !/^\d+$/.test(call))
    return (
      <Empty title="Select a model call" isPage>
        <p>
          Open a <Link href={address(['runs'])}>run</Link>, select a node, then open one of its model calls.
        </p>
      </Empty>
    );
  return <Page key={`${run} ${call}`} run={run} index={Number(call)} />;
}

function Page({ run, index }: { run: string; index: number }) {
  const { data, error } = useResource(`playground:${run}:${index}`, () => readAll(run, index));
  // Keep the loaded call, because the service may delete it while you edit.
  const [first, setFirst] = useState(data?.call && data);
  if (!first && data?.call) setFirst(data);
  const { owner } = useOwner();
  if (!first)
    return (
      <div className="page">
        <h1 className="visually-hidden">Call playground</h1>
        {error ? (
          <ErrorNote error={error} retry={() => invalidate('playground:')} />
        ) : data ? (
          <NoLongerRecorded run={run} />
        ) : (
          <Loading lines={8} />
        )}
      </div>
    );
  const { agent, step, task, model } = first.call;
  return (
    <div className="page">
      <div className="inner playground">
        <header className="page-head">
          <Link className="button icon quiet" href={address(['runs', run])} aria-label="Back to run">
            <Icon name="back" />
          </Link>
          <div className="grow">
            <h1>Call playground</h1>
            <p className="muted small cut">
              {[agent ?? 'conversation', step].filter(Boolean).join(' › ')} · {task} · {model}
            </p>
          </div>
        </header>
        {owner !== undefined && <ReadingNote owner={owner === ALL_CALLERS ? undefined : owner} />}
        {!first.call.whole && (
          <p className="note waiting">
            Part of the request is missing: an image, the end of a long text, or tools in the format of
            another provider.
          </p>
        )}
        <Playground
          run={run}
          index={index}
          call={first.call}
          models={first.models}
          templates={first.templates}
          maySend={owner === undefined}
        />
      </div>
    </div>
  );
}

async function readAll(run: string, index: number) {
  const { calls, models } = await readCalls(run);
  const call = calls[index];
  return call ? { call, models, templates: await readTemplates(call) } : { call: undefined };
}

function NoLongerRecorded({ run }: { run: string }) {
  return (
    <Empty title="Call no longer available">
      <p>
        The service keeps the contents of model calls in memory, for the latest runs only. Run the
        conversation again, or go back to the <Link href={address(['runs', run])}>run</Link>.
      </p>
    </Empty>
  );
}
