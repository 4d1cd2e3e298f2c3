/** Routes for workflows: list them, and read a workflow's status and its graph as JSON, Mermaid or SVG. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { drawnGraph, graphWithSubgraphs } from '../../runtime/workflows/graph-with-subgraphs.ts';
import type { RegisteredWorkflow } from '../../runtime/workflows/registered.ts';
import { SkeinError } from '../../state/errors.ts';
import type { RunStatistics } from '../../state/threads/runs.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { Entry, entryOf } from './entry.ts';
import { GraphJson, graphJson, graphSvg } from './graph-drawing.ts';

const WorkflowList = Type.Object(
  {
    workflows: Type.Array(Entry, { description: 'All workflows of the service' }),
    by_category: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'The names of the workflows of each category',
    }),
    summary: Type.Object(
      {
        total: Type.Integer({ description: 'All workflows' }),
        configured: Type.Integer({ description: 'Workflows without missing settings' }),
        unconfigured: Type.Integer({ description: 'Workflows with missing settings' }),
      },
      { description: 'Numbers of workflows' },
    ),
    naming_note: Type.String({ description: 'How names are written, for people' }),
  },
  { title: 'WorkflowList' },
);

const WorkflowStatus = Type.Composite(
  [
    Entry,
    Type.Object({
      status: Type.Union([Type.Literal('ready'), Type.Literal('unconfigured'), Type.Literal('failing')], {
        description: 'failing: it is not ready, or its last three runs failed',
      }),
      last_run_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'When the newest run that has ended was accepted. Null without runs',
      }),
      runs: Type.Object(
        {
          succeeded: Type.Integer({ description: 'Runs that succeeded' }),
          failed: Type.Integer({ description: 'Runs that failed' }),
        },
        { description: 'Among the newest 100 runs that have ended' },
      ),
      latency_ms: Type.Object(
        {
          p50: Type.Union([Type.Number(), Type.Null()], { description: 'The median. Null without runs' }),
          p95: Type.Union([Type.Number(), Type.Null()], {
            description: 'The 95th percentile. Null without runs',
          }),
        },
        { description: 'Durations of these succeeded runs, in milliseconds' },
      ),
    }),
  ],
  { title: 'WorkflowStatus' },
);

const params = Type.Object({
  workflow_name: Type.String({ description: 'The name of the workflow, with hyphens or underscores' }),
});

const GraphFormat = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal('json'), Type.Literal('mermaid'), Type.Literal('svg')], {
      default: 'json',
      description: 'The format of the graph',
    }),
  ),
  xray: Type.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], { description: 'Expand subgraphs' }),
  ),
});

export const workflowRoutes = (services: Services) => {
  const { registry, state } = services;

  /** Throws WORKFLOW_NOT_FOUND. */
  function workflowNamed(name: string): RegisteredWorkflow {
    const workflow = registry.find(name);
    if (!workflow) throw new SkeinError('WORKFLOW_NOT_FOUND');
    return workflow;
  }

  return new Elysia({ prefix: '/api/v1', name: 'workflows' })
    .get('/workflows', () => list(services), {
      response: { 200: WorkflowList },
      detail: {
        summary: 'List the workflows with their configuration',
        tags: ['workflows'],
        responses: errorResponses('UNAUTHORIZED'),
      },
    })
    .get(
      '/workflow-status/:workflow_name',
      async ({ params: { workflow_name } }) => {
        const workflow = workflowNamed(workflow_name);
        const statistics = await state.runs.statistics(workflow.name);
        const entry = await entryOf(workflow, services);
        return { ...entry, ...statusOf(entry, statistics) };
      },
      {
        params,
        response: { 200: WorkflowStatus },
        detail: {
          summary: "Get a workflow's status, with statistics of its newest 100 runs",
          tags: ['workflows'],
          responses: errorResponses('UNAUTHORIZED', 'WORKFLOW_NOT_FOUND'),
        },
      },
    )
    .get(
      '/workflows/:workflow_name/graph',
      async ({ params: { workflow_name }, query, set }) => {
        const { graph, agents } = workflowNamed(workflow_name);
        if (!graph) throw new SkeinError('WORKFLOW_NOT_FOUND', { detail: 'The workflow cannot be loaded' });
        const drawable = query.xray === 'true' ? await graphWithSubgraphs(graph) : await drawnGraph(graph);
        const names = new Set(agents.map(({ name }) => name));
        if (query.format === 'mermaid') {
          set.headers['content-type'] = 'text/vnd.mermaid; charset=utf-8';
          return drawable.drawMermaid();
        }
        const json = graphJson(drawable, names);
        if (query.format !== 'svg') return json;
        set.headers['content-type'] = 'image/svg+xml; charset=utf-8';
        return await graphSvg(json);
      },
      {
        params,
        query: GraphFormat,
        response: { 200: Type.Union([GraphJson, Type.String()]) },
        detail: {
          summary: "Get a workflow's compiled graph",
          tags: ['workflows'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND'),
        },
      },
    );
};

async function list(services: Services): Promise<Static<typeof WorkflowList>> {
  const { registry } = services;
  const workflows = await Promise.all(registry.workflows.map((workflow) => entryOf(workflow, services)));
  const configured = workflows.filter((entry) => entry.configured).length;
  const byCategory = Map.groupBy(workflows, ({ category }) => category);
  return {
    workflows,
    by_category: Object.fromEntries(
      Array.from(byCategory, ([name, group]) => [name, group.map((one) => one.workflow)]),
    ),
    summary: { total: workflows.length, configured, unconfigured: workflows.length - configured },
    naming_note:
      'Workflow names have hyphens. The form with underscores is an alias, and names are not case-sensitive.',
  };
}

// The number of consecutive failures after which a workflow is `failing`.
const FAILING = 3;

function statusOf(
  { configured, ready }: Static<typeof Entry>,
  { succeeded, failed, lastRunAt, durations, failedInARow }: RunStatistics,
) {
  const works = ready && failedInARow < FAILING;
  return {
    status: !configured ? ('unconfigured' as const) : works ? ('ready' as const) : ('failing' as const),
    last_run_at: lastRunAt === null ? null : new Date(lastRunAt).toISOString(),
    runs: { succeeded, failed },
    latency_ms: { p50: quantile(durations, 0.5), p95: quantile(durations, 0.95) },
  };
}

function quantile(ascending: number[], share: number): number | null {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? null;
}
