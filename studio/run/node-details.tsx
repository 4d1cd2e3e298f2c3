/** The details of a node in a run: input and output, model calls, prompts and state. */
import { type ComponentProps, useId, useState } from 'react';
import { workAt } from '../data/runs/node-id.ts';
import { BreakpointToggles } from '../graph/breakpoint-toggles.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { AgentOutput } from '../output/agent-output.tsx';
import { durationText } from '../parts/formats/time.tsx';
import { Json } from '../parts/json/json.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useOwner } from '../routing/owner.ts';
import { AddButton } from './add-button.tsx';
import { CallList } from './call-list.tsx';
import { NodeInput } from './node-input.tsx';
import { NodeState } from './node-state.tsx';
import { outputIn } from './output-in.ts';
import { PromptList } from './prompt-list.tsx';
import { RunAgainButton } from './run-again-button.tsx';
import { ToolList } from './tool-list.tsx';
import { useCalls } from './use-calls.ts';
import type { KnownRun } from './use-run.ts';
import type { SelectedNode } from './use-selected-node.ts';

interface NodeDetailsProps {
  known: KnownRun;
  chosen: SelectedNode;
  choose(node: string, execution: number): void;
}

type View = 'output' | 'calls' | 'prompts' | 'state';

export function NodeDetails({ known, chosen, choose }: NodeDetailsProps) {
  const [view, setView] = useState<View>('output');
  const id = useId();
  const { node = '', execution } = chosen;
  const { executions, step } = workAt(known.agents, node);
  const agent = executions.find((one) => one.execution === execution) ?? executions.at(-1);
  const runs = known.parts.map(({ run }) => run);
  const recorded = useCalls(known, view === 'calls' ? agent?.calls.length : undefined);
  const { owner } = useOwner();
  const isOwn = owner === undefined;
  const { run } = known;
  const breakpoints = isOwn && run && <BreakpointToggles workflow={run.workflow} node={node} />;
  if (!agent) {
    return (
      <>
        <p className="muted small">{node} didn't run.</p>
        {breakpoints}
      </>
    );
  }
  const calls = step === undefined ? agent.calls : agent.calls.filter((call) => call.step === step);
  // The name of a step's prompt file contains the name of the step.
  const prompts = agent.prompts.filter(
    ({ filename }) => step === undefined || filename.includes(`.${step}.`),
  );
  const tabs = [
    { value: 'output' as const, label: 'Overview' },
    { value: 'calls' as const, label: `Model calls ${calls.length}` },
    { value: 'prompts' as const, label: `Prompts ${prompts.length}` },
    { value: 'state' as const, label: 'State' },
  ];
  return (
    <section className="node-details" aria-label={`Node ${node}`}>
      <div className="row">
        <h3 className="mono grow cut">{node.replaceAll(':', ' › ')}</h3>
        {executions.length > 1 && (
          <select
            className="field"
            aria-label="Execution"
            value={agent.execution}
            onChange={(event) => choose(node, Number(event.target.value))}
          >
            {executions.map((one) => (
              <option key={one.execution} value={one.execution}>
                #{one.execution} of {executions.length}
              </option>
            ))}
          </select>
        )}
      </div>
      <div className="row wrap">
        {breakpoints}
        <span className="grow" />
        {isOwn && <RunAgainButton runs={runs} work={{ agent, step, times: executions.length }} />}
      </div>
      <Tabs id={id} label={node} tabs={tabs} value={view} choose={setView} />
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${view}`} className="stack">
        {view === 'output' && (
          <InputAndOutput {...{ known, agent, step, calls, recorded }} times={executions.length} />
        )}
        {view === 'calls' && (
          <CallList workflow={run?.workflow ?? ''} {...{ calls, recorded, step }} agent={agent.agent} />
        )}
        {view === 'prompts' && <PromptList prompts={prompts} />}
        {view === 'state' && <NodeState runs={runs} agent={agent} step={step} times={executions.length} />}
      </div>
    </section>
  );
}

function InputAndOutput(given: ComponentProps<typeof NodeInput>) {
  const { known, agent, step } = given;
  const { run, waits } = known;
  const output = outputIn(known, agent);
  const steps = agent.steps.filter((one) => step === undefined || one.step === step);
  return (
    <>
      {run && (
        <div className="stack">
          <h4 className="muted">Input</h4>
          <NodeInput {...given} />
        </div>
      )}
      {steps.length > 0 && (
        <ul className="step-list" aria-label="Steps">
          {steps.map(({ step, state, durationMs }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended
            <li key={index} className="row small">
              <span className={`dot ${DOTS[state]}`} role="img" aria-label={state} />
              <code className="grow">{step}</code>
              {durationMs !== undefined && <span className="muted">{durationText(durationMs)}</span>}
            </li>
          ))}
        </ul>
      )}
      {agent.steps.length === 0 && agent.statuses.length > 0 && (
        <p className="muted small">{agent.statuses.join(' → ')}</p>
      )}
      {agent.tools.length > 0 && step === undefined && (
        <div className="stack">
          <h4 className="muted">Tools</h4>
          <ToolList tools={agent.tools} waits={waits} />
        </div>
      )}
      {agent.custom.length > 0 && step === undefined && (
        <div className="stack">
          <h4 className="muted">Custom stream data</h4>
          <Json value={agent.custom.length === 1 ? agent.custom[0] : agent.custom} open={3} />
        </div>
      )}
      <div className="stack">
        <div className="row">
          <h4 className="muted grow">Output</h4>
          {run && output && <AddButton run={run} answer={output.content} />}
        </div>
        {output ? (
          <AgentOutput output={output} named={false} />
        ) : agent.text ? (
          <Markdown text={agent.text} />
        ) : (
          <p className="muted small">
            {agent.state === 'started' ? 'No output yet.' : 'No text output. The State tab shows the result.'}
          </p>
        )}
      </div>
    </>
  );
}

const DOTS = { started: 'running', finished: 'good', failed: 'bad', cancelled: 'cancelled' };
