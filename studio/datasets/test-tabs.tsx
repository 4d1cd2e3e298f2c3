/** The two pages that lead from failures to tests. */
import { Link } from '../parts/link.tsx';
import { address } from '../router.ts';

const PAGES = { datasets: 'Datasets', review: 'Review' } as const;

export function TestTabs({ current }: { current: keyof typeof PAGES }) {
  return (
    <nav className="tabs" aria-label="From failures to tests">
      {Object.entries(PAGES).map(([path, label]) => (
        <Link key={path} href={address([path])} aria-current={path === current ? 'page' : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
