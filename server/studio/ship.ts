/** Run before the package is packed: bundles the studio, so that projects need none of its libraries. */
import { shipFiles } from './built-files.ts';

if (import.meta.main) await shipFiles();
