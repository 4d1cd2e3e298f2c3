/** The results of the finder: pages, workflows, conversations, and texts in runs. */
import { type Hit, isSearchable, KINDS, searchRuns } from '../data/search.ts';
import { listThreads, type ThreadEntry } from '../data/threads/threads.ts';
import { readWorkflows, type Workflow } from '../data/workflows.ts';
import { useDebounced } from '../parts/use-debounced.ts';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import { address } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';

export interface Choice {
  id: string;
  group: 'Pages' | 'Workflows' | 'Conversations' | 'Runs';
  label: string;
  detail?: string;
  hit?: Hit;
  href: string;
}

const PAGES: [label: string, path: string[]][] = [
  ['Home', ['home']],
  ['New conversation', []],
  ['Runs', ['runs']],
  ['Search', ['search']],
  ['Workflows', ['workflows']],
  ['Prompts', ['prompts']],
  ['Datasets', ['datasets']],
  ['Review', ['review']],
  ['Documents', ['knowledge']],
  ['Store', ['store']],
  ['Database', ['database']],
];
const MAX_RESULTS = 5;

export interface Choices {
  choices: Choice[];
  error: Error | undefined;
  /** Whether more results may follow. */
  isLoading: boolean;
}

const DEBOUNCE_MS = 150;

/** `text` must be trimmed. Pages and workflows are found synchronously, so that Enter never opens a result for an earlier text. */
export function useChoices(text: string): Choices {
  const { owner } = useOwner();
  const workflows = useResource('workflows', readWorkflows);
  const query = useDebounced(text, DEBOUNCE_MS) === text && text !== '' ? text : undefined;
  const threads = useResource(query && `threads:find:${query}`, () => listThreads({ q: text }));
  const found = useResource(query && isSearchable(text) ? `search:few:${text}` : undefined, () =>
    searchRuns({ q: text }, { limit: MAX_RESULTS }),
  );
  const of = (one: { owner?: string | undefined }) => (owner === ALL_CALLERS ? one.owner : '');
  const choices = [
    ...pages(text),
    ...(workflows.data?.workflows ?? [])
      .filter(({ workflow }) => text !== '' && includes(workflow, text))
      .map(ofWorkflow),
    ...(threads.data?.threads ?? []).slice(0, MAX_RESULTS).map((thread) => ofThread(thread, of(thread))),
    ...(found.data?.hits ?? []).map((hit, index) => ofHit(hit, index, of(hit))),
    ...(found.data?.next_cursor ? [allOf(text)] : []),
  ];
  return {
    choices,
    error: threads.error ?? found.error,
    isLoading: text !== '' && !(threads.data && (found.data || !isSearchable(text))),
  };
}

function pages(text: string): Choice[] {
  return PAGES.filter(([label]) => includes(label, text)).map(([label, path]) => ({
    ...{ id: `page-${label}`, group: 'Pages', label, href: address(path) },
  }));
}

function ofWorkflow({ workflow, description }: Workflow): Choice {
  const href = address(['workflows', workflow]);
  return { id: `workflow-${workflow}`, group: 'Workflows', label: workflow, detail: description, href };
}

function ofThread({ thread_id, title, workflow }: ThreadEntry, of: string | undefined): Choice {
  const href = address(['threads', thread_id], { of });
  return { id: `thread-${of}-${thread_id}`, group: 'Conversations', label: title, detail: workflow, href };
}

function ofHit(hit: Hit, index: number, of: string | undefined): Choice {
  const href = address(['runs', hit.run_id], { of });
  const detail = `${kindLabel(hit)} · ${hit.workflow}`;
  return { id: `hit-${index}`, group: 'Runs', label: hit.snippet, detail, hit, href };
}

function allOf(text: string): Choice {
  const href = address(['search'], { q: text });
  return { id: 'all', group: 'Runs', label: `All results for “${text}”`, href };
}

/** The kind of a text, with the name of its agent or tool. */
export function kindLabel({ kind, agent, tool }: Hit): string {
  const name = agent ?? tool;
  const label = KINDS[kind].replace(/s$/, '');
  return name === null ? label : `${label} · ${name}`;
}

function includes(label: string, text: string): boolean {
  return label.toLowerCase().includes(text.toLowerCase());
}
