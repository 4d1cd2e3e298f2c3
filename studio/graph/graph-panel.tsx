/** The graph of a workflow with its tools: opening agents, the heat of the last runs, and pictures to take away. */
import { memo, useCallback, useMemo, useState } from 'react';
import { useBreakpoints } from '../data/breakpoints.ts';
import { nodesAround } from '../data/node-id.ts';
import type { AgentView } from '../data/run-view.ts';
import { newestRuns } from '../data/runs.ts';
import { readGraph } from '../data/workflows.ts';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { useSize } from '../parts/use-size.ts';
import { useResource } from '../resources.ts';
import { ArrowHead } from './edge-line.tsx';
import { GraphExport } from './graph-export.tsx';
import { graphState, type Stop } from './graph-state.ts';
import { heatOf, MEASURES, type Measure } from './heat.ts';
import { laidOut } from './layout.ts';
import { openable, shownGraph, undeclaredEdges } from './shown-graph.ts';
import { WorkflowGraphView } from './workflow-graph.tsx';

interface GraphPanelProps {
  workflow: string;
  /** What a run did; empty where none is shown. */
  agents: AgentView[];
  /** The run waits for a person. */
  waits: boolean;
  /** The run succeeded. */
  ended: boolean;
  stops?: Stop[] | undefined;
  selected: string | undefined;
  select(node: string): void;
  /** What is shown at first. */
  heat?: Measure;
}

function GraphPanel(props: GraphPanelProps) {
  const { workflow, agents, waits, ended, stops, selected, select } = props;
  const { data: graphs, error } = useResource(`graph:${workflow}`, () => readBoth(workflow));
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [measure, setMeasure] = useState<Measure | ''>(props.heat ?? '');
  const { data: runs } = useResource(measure === '' ? undefined : `heat:${workflow}`, () =>
    newestRuns(workflow),
  );
  const [frame, size] = useSize();
  const breakpoints = useBreakpoints(workflow);

  const canOpen = useMemo(() => (graphs ? openable(graphs.open) : new Set<string>()), [graphs]);
  const declared = useMemo(() => {
    if (!graphs) return undefined;
    // An agent that is alone says nothing while it is closed.
    const isAlone = graphs.closed.nodes.filter(({ kind }) => kind === 'agent').length === 1;
    const opened = new Set([...canOpen].filter((agent) => isAlone !== toggled.has(agent)));
    return shownGraph(graphs.closed, graphs.open, opened);
  }, [graphs, canOpen, toggled]);
  const state = useMemo(
    () => declared && graphState(declared, agents, { waits, ended, stops }),
    [declared, agents, waits, ended, stops],
  );
  // A string: the layout stays as it is while the same edges are taken.
  const undeclared = declared && state ? JSON.stringify(undeclaredEdges(declared, state.taken)) : '[]';
  const graph = useMemo(
    () => declared && { ...declared, edges: [...declared.edges, ...JSON.parse(undeclared)] },
    [declared, undeclared],
  );
  const laid = useMemo(() => graph && size && laidOut(graph, size), [graph, size]);
  const heat = useMemo(
    () => (graph && measure && runs ? heatOf(graph, runs, measure) : undefined),
    [graph, measure, runs],
  );

  // Of a node inside of a closed one, that one.
  const lit =
    selected && (nodesAround(selected).find((id) => graph?.nodes.some((node) => node.id === id)) ?? selected);
  const toggle = useCallback(
    (agent: string) => setToggled((before) => before.symmetricDifference(new Set([agent]))),
    [],
  );
  return (
    <section className="graph-box" aria-label={`Graph of ${workflow}`}>
      <ArrowHead />
      <div className="graph-tools">
        <strong className="small cut grow">{workflow}</strong>
        <select
          className="field"
          aria-label="Colours"
          value={measure}
          onChange={(event) => setMeasure(event.target.value as Measure | '')}
        >
          <option value="">This run</option>
          {MEASURES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label} of the last 100 runs
            </option>
          ))}
        </select>
        {graph && laid && state && <GraphExport workflow={workflow} drawn={{ graph, laid, state, heat }} />}
      </div>
      <div ref={frame} className="graph-frame">
        {error && <ErrorNote error={error} />}
        {!graphs && !error && <Loading />}
        {runs?.length === 0 && measure && (
          <Empty title="No runs yet">
            <p className="small">Chat with this workflow, and its heat shows here.</p>
          </Empty>
        )}
        {graph && laid && state && (
          <WorkflowGraphView
            {...{ graph, laid, state, select, toggle, breakpoints }}
            selected={lit}
            heat={measure ? (heat ?? new Map()) : undefined}
            openable={canOpen}
          />
        )}
      </div>
    </section>
  );
}

/** Words that come while it is shown do not draw it anew. */
export default memo(GraphPanel);

async function readBoth(workflow: string) {
  const [closed, open] = await Promise.all([readGraph(workflow, false), readGraph(workflow, true)]);
  return { closed, open };
}
