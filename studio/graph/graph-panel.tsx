/** The graph of a workflow with its toolbar: search, expand, full screen, heat map and export. */
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { nodesAround } from '../data/runs/node-id.ts';
import type { AgentView } from '../data/runs/run-view.ts';
import { newestRuns } from '../data/runs/runs.ts';
import { useBreakpoints } from '../data/threads/breakpoints.ts';
import { readGraph } from '../data/workflows.ts';
import { Icon } from '../parts/icon.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { useSize } from '../parts/use-size.ts';
import { useLocation } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';
import { ArrowHead } from './drawing/edge-lines.tsx';
import { type GraphFocus, WorkflowGraphView } from './drawing/workflow-graph.tsx';
import { graphState, type Stop } from './graph-state.ts';
import { heatOf, MEASURES, type Measure } from './heat.ts';
import { useLayout } from './layout/use-layout.ts';
import { openable, shownGraph, undeclaredEdges } from './shown-graph.ts';
import { FullScreen } from './toolbar/full-screen.tsx';
import { GraphExport } from './toolbar/graph-export.tsx';
import { GraphSearch } from './toolbar/graph-search.tsx';
import { useOpened } from './use-opened.ts';

interface GraphPanelProps {
  workflow: string;
  /** The agents of the run that is shown; empty if none is. */
  agents: AgentView[];
  /** Whether the run is waiting for a person. */
  waits: boolean;
  /** Whether the run has succeeded. */
  ended: boolean;
  stops?: Stop[] | undefined;
  selected: string | undefined;
  select(node: string): void;
  /** The heat map to show at first. */
  heat?: Measure;
}

const NOTHING_OPENS: ReadonlySet<string> = new Set();
// Smaller graphs need no search.
const MIN_NODES_FOR_SEARCH = 8;

function GraphPanel(props: GraphPanelProps) {
  const { workflow, agents, waits, ended, stops, selected, select } = props;
  const { data: graphs, error } = useResource(`graph:${workflow}`, () => readBoth(workflow));
  const [measure, setMeasure] = useState<Measure | ''>(props.heat ?? '');
  const { data: runs } = useResource(measure === '' ? undefined : `heat:${workflow}`, () =>
    newestRuns(workflow),
  );
  const [frame, size] = useSize();
  const linked = useLocation().query.get('node') ?? undefined;
  const [focus, setFocus] = useState<GraphFocus | undefined>(
    linked === undefined ? undefined : { node: linked, isNear: true },
  );
  const fullScreen = useFullScreen();
  const breakpoints = useBreakpoints(workflow);

  const canOpen = useMemo(() => (graphs ? openable(graphs.open) : NOTHING_OPENS), [graphs]);
  // A graph whose only node is an agent is expanded at first, because it shows nothing otherwise.
  const isAlone = graphs?.closed.nodes.filter(({ kind }) => kind === 'agent').length === 1;
  const { opened, toggle, reveal } = useOpened(canOpen, isAlone, linked);
  const declared = useMemo(() => graphs && shownGraph(graphs.closed, graphs.open, opened), [graphs, opened]);
  const state = useMemo(
    () => declared && graphState(declared, agents, { waits, ended, stops }),
    [declared, agents, waits, ended, stops],
  );
  // Compared as a string, so that the layout only changes with the set of edges.
  const undeclared = declared && state ? JSON.stringify(undeclaredEdges(declared, state.taken)) : '[]';
  const graph = useMemo(
    () => declared && { ...declared, edges: [...declared.edges, ...JSON.parse(undeclared)] },
    [declared, undeclared],
  );
  const layout = useLayout(graph, size);
  const heat = useMemo(
    () => (graph && measure && runs ? heatOf(graph, runs, measure) : undefined),
    [graph, measure, runs],
  );
  const names = useMemo(
    () => [...new Set([...canOpen, ...(graphs?.open.nodes.map(({ id }) => id) ?? [])])],
    [canOpen, graphs],
  );

  // If the selected node is inside a collapsed one, highlight that one.
  const highlighted =
    selected && (nodesAround(selected).find((id) => graph?.nodes.some((node) => node.id === id)) ?? selected);
  const go = useCallback(
    (node: string) => {
      reveal(node);
      select(node);
      setFocus({ node, isNear: true });
    },
    [reveal, select],
  );
  const openOrClose = useCallback(
    (node: string) => {
      toggle(node);
      setFocus({ node, isNear: false });
    },
    [toggle],
  );
  const panel = (
    <section className="graph-box" aria-label={`Graph of ${workflow}`}>
      <ArrowHead />
      <div className="graph-tools">
        <strong className="small cut grow">{workflow}</strong>
        {names.length > MIN_NODES_FOR_SEARCH && <GraphSearch nodes={names} go={go} />}
        <select
          className="field"
          aria-label="Colour by"
          value={measure}
          onChange={(event) => setMeasure(event.target.value as Measure | '')}
        >
          <option value="">This run</option>
          {MEASURES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}, last 100 runs
            </option>
          ))}
        </select>
        {runs?.length === 0 && measure && <span className="muted small">No runs yet</span>}
        {graph && layout && state && (
          <GraphExport workflow={workflow} rendered={{ graph, layout, state, heat }} />
        )}
        <button
          ref={fullScreen.button}
          type="button"
          className="button small icon quiet"
          aria-label={fullScreen.isOpen ? 'Exit full screen' : 'Full screen'}
          onClick={fullScreen.toggle}
        >
          <Icon name={fullScreen.isOpen ? 'close' : 'open'} size={14} />
        </button>
      </div>
      <div ref={frame} className="graph-frame">
        {error && <ErrorNote error={error} />}
        {(!graphs || (size && !layout)) && !error && <Loading />}
        {graph && layout && state && (
          <WorkflowGraphView
            {...{ graph, layout, state, select, focus, breakpoints }}
            toggle={openOrClose}
            selected={highlighted}
            heat={measure ? (heat ?? new Map()) : undefined}
            openable={canOpen}
          />
        )}
      </div>
    </section>
  );
  if (!fullScreen.isOpen) return panel;
  return (
    <FullScreen label={`Graph of ${workflow}`} close={fullScreen.close}>
      {panel}
    </FullScreen>
  );
}

/** Memoised, so that streamed text doesn't render the graph again. */
export default memo(GraphPanel);

/** Returns the focus to the button when full screen closes. */
function useFullScreen() {
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
