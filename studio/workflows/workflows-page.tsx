/** Being built. */
import { Empty } from '../parts/states.tsx';

export default function Page() {
  return <Empty title="Soon" />;
}
