/** The graph of a workflow with its tools: finding and opening nodes, full size, heat, and pictures to take away. */
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useBreakpoints } from '../data/breakpoints.ts';
import { nodesAround } from '../data/node-id.ts';
import type { AgentView } from '../data/run-view.ts';
import { newestRuns } from '../data/runs.ts';
import { readGraph } from '../data/workflows.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { useSize } from '../parts/use-size.ts';
import { useResource } from '../resources.ts';
import { useLocation } from '../router.ts';
import { ArrowHead } from './edge-lines.tsx';
import { FullSize } from './full-size.tsx';
import { GraphExport } from './graph-export.tsx';
import { GraphSearch } from './graph-search.tsx';
import { graphState, type Stop } from './graph-state.ts';
import { heatOf, MEASURES, type Measure } from './heat.ts';
import { openable, shownGraph, undeclaredEdges } from './shown-graph.ts';
import { useLayout } from './use-layout.ts';
import { useOpened } from './use-opened.ts';
import { type Sought, WorkflowGraphView } from './workflow-graph.tsx';

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

const NOTHING_OPENS: ReadonlySet<string> = new Set();
// Fewer are found by looking.
const FEW = 8;

function GraphPanel(props: GraphPanelProps) {
  const { workflow, agents, waits, ended, stops, selected, select } = props;
  const { data: graphs, error } = useResource(`graph:${workflow}`, () => readBoth(workflow));
  const [measure, setMeasure] = useState<Measure | ''>(props.heat ?? '');
  const { data: runs } = useResource(measure === '' ? undefined : `heat:${workflow}`, () =>
    newestRuns(workflow),
  );
  const [frame, size] = useSize();
  const linked = useLocation().query.get('node') ?? undefined;
  const [sought, seek] = useState<Sought | undefined>(
    linked === undefined ? undefined : { node: linked, isNear: true },
  );
  const full = useFullSize();
  const breakpoints = useBreakpoints(workflow);

  const canOpen = useMemo(() => (graphs ? openable(graphs.open) : NOTHING_OPENS), [graphs]);
  // An agent that is alone says nothing while it is closed.
  const isAlone = graphs?.closed.nodes.filter(({ kind }) => kind === 'agent').length === 1;
  const { opened, toggle, reveal } = useOpened(canOpen, isAlone, linked);
  const declared = useMemo(() => graphs && shownGraph(graphs.closed, graphs.open, opened), [graphs, opened]);
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
  const laid = useLayout(graph, size);
  const heat = useMemo(
    () => (graph && measure && runs ? heatOf(graph, runs, measure) : undefined),
    [graph, measure, runs],
  );
  const names = useMemo(
    () => [...new Set([...canOpen, ...(graphs?.open.nodes.map(({ id }) => id) ?? [])])],
    [canOpen, graphs],
  );

  // Of a node inside of a closed one, that one.
  const lit =
    selected && (nodesAround(selected).find((id) => graph?.nodes.some((node) => node.id === id)) ?? selected);
  const go = useCallback(
    (node: string) => {
      reveal(node);
      select(node);
      seek({ node, isNear: true });
    },
    [reveal, select],
  );
  const openOrClose = useCallback(
    (node: string) => {
      toggle(node);
      seek({ node, isNear: false });
    },
    [toggle],
  );
  const panel = (
    <section className="graph-box" aria-label={`Graph of ${workflow}`}>
      <ArrowHead />
      <div className="graph-tools">
        <strong className="small cut grow">{workflow}</strong>
        {names.length > FEW && <GraphSearch nodes={names} go={go} />}
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
        {runs?.length === 0 && measure && <span className="muted small">No runs yet</span>}
        {graph && laid && state && <GraphExport workflow={workflow} drawn={{ graph, laid, state, heat }} />}
        <button
          ref={full.button}
          type="button"
          className="button small icon quiet"
          aria-label={full.isOpen ? 'Close full size' : 'Full size'}
          onClick={full.toggle}
        >
          <Icon name={full.isOpen ? 'close' : 'open'} size={14} />
        </button>
      </div>
      <div ref={frame} className="graph-frame">
        {error && <ErrorNote error={error} />}
        {(!graphs || (size && !laid)) && !error && <Loading />}
        {graph && laid && state && (
          <WorkflowGraphView
            {...{ graph, laid, state, select, sought, breakpoints }}
            toggle={openOrClose}
            selected={lit}
            heat={measure ? (heat ?? new Map()) : undefined}
            openable={canOpen}
          />
        )}
      </div>
    </section>
  );
  if (!full.isOpen) return panel;
  return (
    <FullSize label={`Graph of ${workflow}`} close={full.close}>
      {panel}
    </FullSize>
  );
}

/** Words that come while it is shown do not draw it anew. */
export default memo(GraphPanel);

/** Back from full size, the focus is where it began. */
function useFullSize() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const close = useCallback(() => setOpen(false), []);
  return { isOpen, button, close, toggle: () => setOpen(!isOpen) };
}

async function readBoth(workflow: string) {
  const [closed, open] = await Promise.all([readGraph(workflow, false), readGraph(workflow, true)]);
  return { closed, open };
}
