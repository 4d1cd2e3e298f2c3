/** The layout of every page: the navigation, the page at the current address, and the log-in form if it is needed. */
import { Suspense, useEffect, useState } from 'react';
import { lazyPart, lazyWithStyles } from '../lazy-with-styles.ts';
import { pageAt } from '../pages.ts';
import { ErrorBoundary } from '../parts/error-boundary.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { useOwner } from '../routing/owner.ts';
import { address, useLocation } from '../routing/router.ts';
import { watchThreadChanges } from '../service/connection.ts';
import { invalidate } from '../service/resources.ts';
import { useSession } from '../session/session.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { Rail } from './rail.tsx';
import './shell.css';

const Finder = lazyWithStyles(() => import('../search/finder.tsx'));
const SignIn = lazyPart(async () => ({ default: (await import('./sign-in.tsx')).SignIn }));

export function Shell() {
  const { refused } = useSession();
  if (refused)
    return (
      <ErrorBoundary resetKey="">
        <Suspense>
          <SignIn />
        </Suspense>
      </ErrorBoundary>
    );
  return <Frame />;
}

function Frame() {
  const { path, query } = useLocation();
  const found = pageAt(path);
  const title = found?.page.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Skein studio`;
  }, [title]);
  // The data may have changed while the window was in the background.
  useEffect(() => {
    const refresh = () => invalidate();
    addEventListener('focus', refresh);
    return () => removeEventListener('focus', refresh);
  }, []);
  const [isFinding, setFinding] = useState(false);
  useEffect(() => {
    function find(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setFinding(true);
    }
    addEventListener('keydown', find);
    return () => removeEventListener('keydown', find);
  }, []);
  const { owner } = useOwner();
  useEffect(() => watchThreadChanges(owner), [owner]);
  const Page = found?.page.component;
  return (
    <div className="shell">
      <a className="button skip" href="#main">
        Skip to content
      </a>
      <Rail section={found?.page.section} />
      <main className="main" id="main" tabIndex={-1}>
        <ConnectionBanner />
        <OfflineBanner />
        {isFinding && (
          <ErrorBoundary resetKey="" dismiss={() => setFinding(false)}>
            <Suspense>
              <Finder close={() => setFinding(false)} />
            </Suspense>
          </ErrorBoundary>
        )}
        <div className="place">
          <ErrorBoundary resetKey={path}>
            <Suspense fallback={<PageLoading />}>
              {Page && found ? <Page params={found.params} query={query} /> : <NotFound />}
            </Suspense>
          </ErrorBoundary>
        </div>
      </main>
    </div>
  );
}

function PageLoading() {
  return (
    <div className="page">
      <Loading lines={6} />
    </div>
  );
}

function NotFound() {
  return (
    <Empty title="Page not found" isPage>
      <p>
        Start a <Link href={address([])}>new conversation</Link> or go to{' '}
        <Link href={address(['runs'])}>Runs</Link>.
      </p>
    </Empty>
  );
}
