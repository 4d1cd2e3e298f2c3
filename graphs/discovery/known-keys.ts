/** The keys of langgraph.json that the LangGraph CLI supports, and the notes about those without effect here. */
import { nearest } from '../../state/schema/nearest.ts';
import { childPath, isMapping } from '../../state/schema/walk-schema.ts';

interface Block {
  read: readonly string[];
  /** Keys that concern only the CLI's builds and its own server. */
  ignored?: readonly string[];
  /** Keys of features that are not supported here. */
  unsupported?: readonly string[];
}

const TOP: Block = {
  read: ['graphs', 'env', 'store', 'checkpointer', 'http', 'auth', 'ui', 'ui_config'],
  ignored: [
    ...['$schema', 'node_version', 'node_loader', 'python_version', 'api_version', 'dependencies', 'source'],
    ...['dockerfile_lines', 'docker_compose_file', 'base_image', 'image_distro', '_INTERNAL_docker_tag'],
    ...['pip_config_file', 'pip_installer', 'keep_pkg_tools'],
  ],
  unsupported: ['webhooks', 'encryption'],
};

const BLOCKS: Readonly<Record<string, Block>> = {
  ui_config: { read: ['shared'] },
  store: { read: ['index', 'ttl'], unsupported: ['path'] },
  'store.index': { read: ['dims', 'embed', 'fields'] },
  'store.ttl': { read: ['default_ttl', 'refresh_on_read', 'sweep_interval_minutes'] },
  checkpointer: { read: ['ttl'], unsupported: ['backend', 'path', 'uri', 'serde'] },
  'checkpointer.ttl': {
    read: ['strategy', 'default_ttl', 'sweep_interval_minutes'],
    ignored: ['sweep_limit'],
  },
  http: {
    read: ['app'],
    ignored: ['logging_headers', 'disable_ui'],
    unsupported: [
      ...['cors', 'mount_prefix', 'configurable_headers', 'enable_custom_route_auth', 'middleware_order'],
      ...['disable_assistants', 'disable_threads', 'disable_runs', 'disable_store', 'disable_meta'],
      ...['disable_webhooks', 'disable_mcp', 'disable_a2a'],
    ],
  },
};

const GRAPH: Block = { read: ['path', 'description'] };

/** A sentence for every unknown key, and for every unsupported key that is not turned off by its value. */
export function keyNotes(top: Record<string, unknown>): string[] {
  const graphs = Object.entries(isMapping(top.graphs) ? top.graphs : {});
  return [
    ...notesOf(top, '', TOP),
    ...graphs.flatMap(([name, graph]) => notesOf(graph, `graphs.${name}`, GRAPH)),
    ...Object.entries(BLOCKS).flatMap(([path, block]) => notesOf(at(top, path), path, block)),
  ];
}

/** The unknown key of the file that was probably meant to be `key`. */
export function misspelled(top: Record<string, unknown>, key: string): string | undefined {
  const known = [...TOP.read, ...(TOP.ignored ?? []), ...(TOP.unsupported ?? [])];
  return nearest(
    key,
    Object.keys(top).filter((each) => !known.includes(each)),
  );
}

function notesOf(value: unknown, path: string, { read, ignored = [], unsupported = [] }: Block): string[] {
  if (!isMapping(value)) return [];
  const known = [...read, ...ignored, ...unsupported];
  return Object.entries(value).flatMap(([key, field]) => {
    const here = childPath(path, key);
    if (unsupported.includes(key)) return isOff(field) ? [] : [`${here} is not supported and has no effect`];
    if (known.includes(key)) return [];
    const meant = nearest(key, known);
    return [`unknown key ${here}${meant ? `, did you mean '${meant}'?` : ' is ignored'}`];
  });
}

/** `default` selects no particular checkpointer backend. */
function isOff(value: unknown): boolean {
  const isEmpty = isMapping(value) && Object.keys(value).length === 0;
  return isEmpty || value === null || value === false || value === 'default';
}

function at(top: Record<string, unknown>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isMapping(value) ? value[key] : undefined), top);
}
