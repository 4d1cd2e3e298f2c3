/** Where the page begins. */
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
// What most pages share: as files of their own, these would weigh more, and each would be a request.
// Without data/node-id.ts: the layout's worker uses it, and this file cannot run in a worker.
import './data/threads.ts';
import './data/workflows.ts';
import './owner/owner-filter.tsx';
import './parts/cost.tsx';
import './parts/json-field.tsx';
import './parts/json-text.ts';
import './parts/time.tsx';
import './parts/use-later.ts';
import './use-pages.ts';
import { Shell } from './shell/shell.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');
createRoot(root).render(<Shell />);
