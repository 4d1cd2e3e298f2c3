/** A script that bundles the studio before the package is packed, so that projects don't need the studio's libraries. */
import { shipFiles } from './built-files.ts';

if (import.meta.main) await shipFiles();
