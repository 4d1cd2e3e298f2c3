/** All pages by their address below /studio. A page is loaded when it is first shown. */
import type { ComponentType } from 'react';
import { lazyPart, lazyWithStyles } from './lazy-with-styles.ts';
import type { PageProps } from './routing/page-props.ts';
import { matchPath } from './routing/router.ts';

export interface Page {
  pattern: string;
  /** The item of the navigation that is marked as current. */
  section: Section;
  title: string;
  component: ComponentType<PageProps>;
}

export type Section =
  | 'home'
  | 'chat'
  | 'runs'
  | 'search'
  | 'workflows'
  | 'prompts'
  | 'datasets'
  | 'knowledge'
  | 'store'
  | 'database';

const Chat = lazyPart(() => import('./chat/chat-page.tsx'));

const PAGES: Page[] = [
  // Both use the same component, so that a new conversation keeps its state when it gets an address.
  { pattern: '/', section: 'chat', title: 'New conversation', component: Chat },
  { pattern: '/threads/:thread_id', section: 'chat', title: 'Conversation', component: Chat },
  page('/threads/:thread_id/history', 'chat', 'History', () => import('./history/history-page.tsx')),
  page('/home', 'home', 'Home', () => import('./home/home-page.tsx')),
  page('/compare', 'runs', 'Compare', () => import('./compare/compare-page.tsx')),
  page('/runs', 'runs', 'Runs', () => import('./runs/runs-page.tsx')),
  page('/search', 'search', 'Search', () => import('./search/search-page.tsx')),
  page('/runs/:run_id', 'runs', 'Run', () => import('./runs/run-page.tsx')),
  page('/playground', 'runs', 'Playground', () => import('./playground/playground-page.tsx')),
  page('/workflows', 'workflows', 'Workflows', () => import('./workflows/workflows-page.tsx')),
  page('/workflows/:workflow', 'workflows', 'Workflow', () => import('./workflows/workflow-page.tsx')),
  page('/prompts', 'prompts', 'Prompts', () => import('./prompts/prompts-page.tsx')),
  page('/prompts/:revision/:file', 'prompts', 'Prompt', () => import('./prompts/prompt-page.tsx')),
  page('/datasets', 'datasets', 'Datasets', () => import('./datasets/datasets-page.tsx')),
  page('/datasets/:dataset', 'datasets', 'Dataset', () => import('./datasets/dataset-page.tsx')),
  page('/review', 'datasets', 'Review', () => import('./review/review-page.tsx')),
  page('/knowledge', 'knowledge', 'Documents', () => import('./knowledge/knowledge-page.tsx')),
  page('/store', 'store', 'Store', () => import('./store/store-page.tsx')),
  page('/database', 'database', 'Database', () => import('./database/database-page.tsx')),
];

export function pageAt(path: string): { page: Page; params: Record<string, string> } | undefined {
  for (const page of PAGES) {
    const params = matchPath(page.pattern, path);
    if (params) return { page, params };
  }
  return undefined;
}

type Load = () => Promise<{ default: ComponentType<PageProps> }>;

function page(pattern: string, section: Section, title: string, load: Load): Page {
  return { pattern, section, title, component: lazyWithStyles(load) };
}
