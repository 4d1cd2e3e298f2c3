/** The navigation between datasets and review. */
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';

const PAGES = { datasets: 'Datasets', review: 'Review' } as const;

export function EvaluationTabs({ current }: { current: keyof typeof PAGES }) {
  return (
    <nav className="tabs" aria-label="Evaluation">
      {Object.entries(PAGES).map(([path, label]) => (
        <Link key={path} href={address([path])} aria-current={path === current ? 'page' : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
