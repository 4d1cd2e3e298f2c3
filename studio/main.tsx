/** The entry of the studio's bundle. */
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
// Imported here so that they are part of the first bundle: most pages use them, and separate chunks would be larger in total
// and need a request each. Not data/node-id.ts: the layout worker imports it, and this file can't run in a worker.
import './data/threads/threads.ts';
import './data/workflows.ts';
import './owner/owner-filter.tsx';
import './parts/formats/cost.tsx';
import './parts/json/json-field.tsx';
import './parts/json/json-text.ts';
import './parts/formats/time.tsx';
import './parts/use-debounced.ts';
import './service/use-pages.ts';
import { keepFocus } from './shell/keep-focus.ts';
import { Shell } from './shell/shell.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');
keepFocus();
createRoot(root).render(<Shell />);
