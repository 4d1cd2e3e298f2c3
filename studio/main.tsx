/** Where the page begins. */
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
// What most pages share: as files of their own, these would weigh more, and each would be a request.
import './data/node-id.ts';
import './parts/cost.tsx';
import './parts/use-later.ts';
import './use-pages.ts';
import { Shell } from './shell/shell.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');
createRoot(root).render(<Shell />);
