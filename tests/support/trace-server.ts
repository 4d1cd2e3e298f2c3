/** A replacement of LangSmith's server that records the runs that LangSmith's client sends. */

export interface TracedRun {
  id: string;
  name: string;
  run_type: string;
  parent_run_id?: string | null;
  dotted_order: string;
  start_time: string | number;
  end_time?: string | number;
  inputs?: unknown;
  outputs?: unknown;
  error?: string;
  tags?: string[];
  extra?: { metadata?: Record<string, unknown> };
}

export interface TraceServer {
  url: string;
  /** Environment variables that enable LangSmith's tracing. */
  variables: Record<string, string>;
  /** The number of requests. */
  requests: number;
  /** The runs in the order of their start. */
  runs(): TracedRun[];
  close(): Promise<void>;
}

/** Tells the client to send runs as plain JSON. */
const INFO = {
  version: '0.12.0',
  instance_flags: { zstd_compression_enabled: false },
  batch_ingest_config: { use_multipart_endpoint: false, scale_up_qsize_trigger: 1000, size_limit: 100 },
};

export function traceServer(): TraceServer {
  const known = new Map<string, TracedRun>();
  const keep = (id: string, fields: Partial<TracedRun>) => {
    const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
    known.set(id, { ...known.get(id), ...Object.fromEntries(present) } as TracedRun);
  };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      traces.requests++;
      if (new URL(request.url).pathname.endsWith('/info')) return Response.json(INFO);
      const { post = [], patch = [] } = (await request.json()) as Record<'post' | 'patch', TracedRun[]>;
      for (const run of [...post, ...patch]) keep(run.id, run);
      return Response.json({});
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  const traces: TraceServer = {
    url,
    variables: { LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: url, LANGSMITH_API_KEY: 'key' },
    requests: 0,
    runs: () => [...known.values()].sort((a, b) => (a.dotted_order < b.dotted_order ? -1 : 1)),
    close: () => server.stop(true),
  };
  return traces;
}

/** The runs as a tree, one line per run: the path of names and the type. */
export function tree(runs: TracedRun[]): string[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const pathOf = ({ name, parent_run_id }: TracedRun): string => {
    const parent = parent_run_id ? byId.get(parent_run_id) : undefined;
    return parent ? `${pathOf(parent)}/${name}` : `${parent_run_id ? '?/' : ''}${name}`;
  };
  return runs.map((run) => `${pathOf(run)} ${run.run_type}`);
}
