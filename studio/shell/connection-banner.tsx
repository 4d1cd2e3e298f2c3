/** Says that the service cannot be reached; gone as soon as it is back. */
import { useConnection } from '../connection.ts';

export function ConnectionBanner() {
  if (useConnection() === 'open') return null;
  return (
    <div className="banner lost" role="alert">
      <span className="dot waiting" />
      <span className="grow">The service cannot be reached. Reconnecting…</span>
    </div>
  );
}
