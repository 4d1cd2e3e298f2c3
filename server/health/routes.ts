/** Routes for health, liveness, readiness, metrics and diagnostics. None of them calls a model. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errorBody, SkeinError } from '../../state/errors.ts';
import { ErrorBody, errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { Entry, entryOf } from '../workflows/entry.ts';

const Component = Type.Record(Type.String(), Type.Unknown(), {
  description: "Has `status`: 'healthy', 'degraded' or 'broken'",
});
type Component = { status: 'healthy' | 'degraded' | 'broken' } & Record<string, unknown>;

const Components = Type.Record(Type.String(), Component, {
  description: 'Each component by name, with its `status`',
});

const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('healthy'), Type.Literal('degraded')], {
      description: 'degraded if a component is',
    }),
    timestamp: Type.String({ format: 'date-time', description: 'When the components were checked' }),
    version: Type.String({ description: 'The version of Skein' }),
    uptime_seconds: Type.Number({ description: 'Seconds since the start of the service' }),
    response_time_ms: Type.Number({ description: 'Duration of the check' }),
    components: Components,
  },
  { title: 'Health' },
);

const Unhealthy = Type.Composite([ErrorBody, Type.Object({ components: Components })], {
  title: 'Unhealthy',
});

const Diagnostic = Type.Object(
  {
    directories: Type.Record(Type.String(), Type.String(), {
      description: 'Where prompts, state, documents and the SQL database are stored',
    }),
    version: Type.String({ description: 'The version of Skein' }),
    runtime: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The process: versions, platform, role, memory and models',
    }),
    disk: Type.Object(
      {
        state_bytes: Type.Integer({ description: 'The size of the state database' }),
        log_bytes: Type.Integer({ description: 'Bytes in the write-ahead log' }),
        threads: Type.Integer({ description: 'Counted at most once per minute' }),
        runs: Type.Integer({ description: 'Counted at most once per minute' }),
      },
      { description: 'Disk use of the state' },
    ),
    components: Components,
    workflows: Type.Array(Entry, { description: 'All workflows of the service' }),
    settings: Type.Unknown({ description: 'All settings, with secrets redacted' }),
    warnings: Type.Array(Type.String(), {
      description: 'What to check, such as unsafe settings or a disk that is nearly full',
    }),
  },
  { title: 'Diagnostic' },
);

export const healthRoutes = (services: Services) =>
  new Elysia({ name: 'health' })
    .get(
      '/api/v1/health',
      async ({ set, status }) => {
        const began = performance.now();
        const components = await inspect(services);
        const broken = Object.entries(components).find(([, { status }]) => status === 'broken');
        if (broken) return status(503, unhealthy(broken[0], components, String(set.headers['x-request-id'])));
        return {
          status: Object.values(components).some(({ status }) => status === 'degraded')
            ? ('degraded' as const)
            : ('healthy' as const),
          timestamp: new Date().toISOString(),
          version: services.version,
          uptime_seconds: uptime(services),
          response_time_ms: Math.round((performance.now() - began) * 100) / 100,
          components,
        };
      },
      {
        response: { 200: Health, 503: Unhealthy },
        detail: {
          summary: 'Get the health of the service and its components; it is degraded if a provider is down',
          tags: ['health'],
        },
      },
    )
    .get('/livez', () => 'ok', {
      response: { 200: Type.String() },
      detail: { summary: 'Check that the process responds', tags: ['health'] },
    })
    .get(
      '/readyz',
      async () => {
        if (!services.ready())
          throw new SkeinError('SHUTTING_DOWN', { message: 'The service is not ready', retryAfter: 1 });
        await services.state.reachable();
        return 'ok';
      },
      {
        response: { 200: Type.String() },
        detail: {
          summary:
            'Check that the service accepts requests; fails during startup and draining, and if the database is unreachable or full',
          tags: ['health'],
          responses: errorResponses('SHUTTING_DOWN', 'STATE_UNAVAILABLE', 'STORAGE_FULL'),
        },
      },
    )
    .get(
      '/metrics',
      async ({ set }) => {
        const { body, type } = await services.metrics.text(services.runtime.counts(), {
          breakers: services.models.states().map(({ model, state }) => ({ model, open: state !== 'closed' })),
          disk: await services.diskUse(),
        });
        set.headers['content-type'] = type;
        return body;
      },
      {
        response: { 200: Type.String() },
        detail: {
          summary: 'Get the metrics in the format of Prometheus',
          tags: ['health'],
          responses: errorResponses('UNAUTHORIZED'),
        },
      },
    )
    .get('/api/v1/diagnostic', () => diagnose(services), {
      response: { 200: Diagnostic },
      detail: {
        summary: 'Get directories, settings and warnings, without secrets',
        tags: ['health'],
        responses: errorResponses('UNAUTHORIZED'),
      },
    });

async function inspect({
  state,
  models,
  registry,
  diagnosis,
  runtime,
  promptFiles,
  knowledge,
  authenticator,
  mcpServers,
}: Services): Promise<Record<string, Component>> {
  const broken = registry.workflows.filter(({ graph }) => !graph).map(({ name }) => name);
  const states = models.states();
  const failing = knowledge.failing();
  const down = states
    .filter(({ state, problem }) => state !== 'closed' || problem !== undefined)
    .map(({ model }) => model);
  return {
    configuration: { status: 'healthy', warnings: diagnosis.warnings.length },
    authentication: { status: authenticator.failing() ? 'degraded' : 'healthy' },
    state: await stateHealth(state),
    prompts: {
      ...(await promptHealth(promptFiles)),
      files: registry.workflows.flatMap((workflow) => workflow.promptFiles).length,
    },
    workflows: { status: broken.length > 0 ? 'degraded' : 'healthy', broken },
    model: { status: down.length > 0 ? 'degraded' : 'healthy', offline: models.offline, down },
    knowledge_base: {
      status: failing ? 'degraded' : 'healthy',
      mode: knowledge.mode,
      ...(failing && { failing }),
    },
    mcp_servers: mcpHealth(mcpServers),
    runs: { status: 'healthy', ...runtime.counts() },
  };
}

/** Only covers servers that are in use, because the others are started at first use. */
function mcpHealth(mcpServers: Services['mcpServers']): Component {
  const states = mcpServers.states();
  const failing = states.flatMap(({ server, state, reason }) =>
    state === 'failed' ? [{ server, reason }] : [],
  );
  return {
    status: failing.length > 0 ? 'degraded' : 'healthy',
    running: states.flatMap(({ server, state }) => (state === 'running' ? [server] : [])),
    failing,
  };
}

async function stateHealth(state: Services['state']): Promise<Component> {
  try {
    // First, because it fails faster than `check` if the database doesn't respond.
    await state.reachable();
    return { status: 'healthy', ...(await state.check()) };
  } catch (error) {
    return { status: 'broken', ...(error instanceof SkeinError && { reason: error.code }) };
  }
}

/** Degraded and not broken, because runs use cached prompts for a while. */
async function promptHealth(promptFiles: Services['promptFiles']): Promise<Component> {
  return promptFiles.check().then(
    () => ({ status: 'healthy' }),
    (error) => ({ status: 'degraded', reason: error instanceof SkeinError ? error.detail : undefined }),
  );
}

function unhealthy(component: string, components: Record<string, Component>, requestId: string) {
  const error = new SkeinError('INTERNAL_ERROR', {
    message: 'A component of the service is broken',
    detail: `components.${component}`,
  });
  return { ...errorBody(error, requestId), components };
}

async function diagnose(services: Services): Promise<Static<typeof Diagnostic>> {
  const { diagnosis, registry, models, archive, version } = services;
  const { stateBytes, logBytes, threads, runs } = await archive.size();
  return {
    directories: diagnosis.directories,
    version,
    runtime: {
      bun: Bun.version,
      platform: `${process.platform} ${process.arch}`,
      uptime_seconds: uptime(services),
      role: diagnosis.role,
      memory_bytes: process.memoryUsage.rss(),
      models: models.states(),
    },
    disk: { state_bytes: stateBytes, log_bytes: logBytes, threads, runs },
    components: await inspect(services),
    workflows: await Promise.all(registry.workflows.map((workflow) => entryOf(workflow, services))),
    settings: diagnosis.settings,
    warnings: [...diagnosis.warnings, ...(await services.volumeWarnings())],
  };
}

function uptime({ startedAt }: Services): number {
  return Math.round((Date.now() - startedAt) / 100) / 10;
}
