/** Shown while the service can't be reached. */
import { useConnection } from '../service/connection.ts';

export function ConnectionBanner() {
  if (useConnection() === 'open') return null;
  return (
    <div className="banner lost" role="alert">
      <span className="dot waiting" />
      <span className="grow">Can't reach the service. Reconnecting…</span>
    </div>
  );
}
