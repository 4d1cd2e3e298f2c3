/** Removes secrets from settings, for the diagnostic endpoint and `skein validate`. */
import { mapLeaves, type ValueNode } from '../state/schema/walk-schema.ts';
import { Settings } from './schema.ts';

const REDACTED = '[redacted]';

/** The same tree with every secret replaced, including credentials in URLs. */
export function redacted(settings: Settings): unknown {
  return mapLeaves({ schema: Settings, value: settings, path: '' }, withoutSecret);
}

/** One value in a form that may be shown. */
export function withoutSecret({ schema, value, path }: ValueNode): unknown {
  if (typeof value !== 'string' || value === '') return value;
  // The options of a project's workflow have no schema here, so their names decide.
  const isSecret = schema ? schema.secret === true : SECRET_NAME.test(path);
  return isSecret ? REDACTED : withoutCredentials(value);
}

const SECRET_NAME = /(key|password|secret|token|credential|connection_string)[^.]*$/i;

/**
 * Replaces everything up to the last @, because a password may contain one, and query values, because they may be signatures.
 */
function withoutCredentials(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(/:\/\/\S*@/g, `://${REDACTED}@`).replace(/([?&][^=&\s]+=)[^&\s]+/g, `$1${REDACTED}`);
}
