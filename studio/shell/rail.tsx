/** The studio's navigation, with the theme and the log-out button. */
import type { Section } from '../pages.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';
import { clearResources, useResource } from '../service/resources.ts';
import { api, ask } from '../service/service.ts';
import { logOut, useSession } from '../session/session.ts';
import { switchTheme, useTheme } from '../theme.ts';

const PLACES: { section: Section; label: string; icon: IconName; path: string[] }[] = [
  { section: 'home', label: 'Home', icon: 'home', path: ['home'] },
  { section: 'chat', label: 'Chat', icon: 'chat', path: [] },
  { section: 'runs', label: 'Runs', icon: 'runs', path: ['runs'] },
  { section: 'search', label: 'Search', icon: 'search', path: ['search'] },
  { section: 'workflows', label: 'Workflows', icon: 'workflow', path: ['workflows'] },
  { section: 'prompts', label: 'Prompts', icon: 'prompt', path: ['prompts'] },
  { section: 'datasets', label: 'Datasets', icon: 'check', path: ['datasets'] },
  { section: 'knowledge', label: 'Documents', icon: 'library', path: ['knowledge'] },
  { section: 'store', label: 'Store', icon: 'box', path: ['store'] },
  { section: 'database', label: 'Database', icon: 'database', path: ['database'] },
];

export function Rail({ section }: { section: Section | undefined }) {
  return (
    <nav className="rail" aria-label="Studio">
      <Link className="brand" href={address([])} aria-label="Skein studio: new conversation">
        <Logo />
      </Link>
      {PLACES.map(({ section: own, label, icon, path }) => (
        <Link
          key={own}
          className="place"
          href={address(path)}
          aria-current={own === section ? 'page' : undefined}
          title={own === 'search' ? 'Press Ctrl K on any page to search' : undefined}
        >
          <Icon name={icon} />
          <span className="label">{label}</span>
        </Link>
      ))}
      <span className="space" />
      <ThemeButton />
      <LogOutButton />
    </nav>
  );
}

function ThemeButton() {
  const theme = useTheme();
  const other = theme === 'dark' ? 'Light' : 'Dark';
  return (
    <button
      type="button"
      className="place"
      onClick={switchTheme}
      title={`Switch to the ${other.toLowerCase()} theme`}
    >
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
      <span className="label">{other}</span>
    </button>
  );
}

function LogOutButton() {
  const { open } = useSession();
  const { data } = useResource(open ? 'session' : undefined, () => ask(api.auth.verify.get()));
  if (!open) return null;
  function endSession() {
    logOut();
    clearResources();
  }
  return (
    <button
      type="button"
      className="place"
      onClick={endSession}
      title={data && `Logged in as ${data.username}`}
    >
      <Icon name="log_out" />
      <span className="label">Log out</span>
    </button>
  );
}

function Logo() {
  return (
    <svg
      {...{ width: 24, height: 24, viewBox: '0 0 16 16', fill: 'none', stroke: 'currentColor' }}
      {...{ strokeWidth: 1.6, strokeLinecap: 'round' }}
      aria-hidden="true"
    >
      <path d="M2 11c4 0 4-6 8-6h4" />
      <path d="M2 8h12" opacity=".55" />
      <path d="M2 5c4 0 4 6 8 6h4" />
    </svg>
  );
}
