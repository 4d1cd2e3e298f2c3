/** Settings without their secrets, for the diagnostic and `skein validate`. */
import { mapLeaves, type ValueNode } from '../state/schema/walk-schema.ts';
import { Settings } from './schema.ts';

const REDACTED = '[redacted]';

/** The same tree with every secret replaced, and credentials in URLs too. */
export function redacted(settings: Settings): unknown {
  return mapLeaves({ schema: Settings, value: settings, path: '' }, withoutSecret);
}

/** One value as it may be shown. */
export function withoutSecret({ schema, value, path }: ValueNode): unknown {
  if (typeof value !== 'string' || value === '') return value;
  // A project workflow's options have no schema here, so go by their names.
  const isSecret = schema ? schema.secret === true : SECRET_NAME.test(path);
  return isSecret ? REDACTED : withoutCredentials(value);
}

const SECRET_NAME = /(key|password|secret|token|credential|connection_string)[^.]*$/i;

/** Up to the last @, because a password may contain one; and query values, because they may be signatures. */
function withoutCredentials(text: string): string {
  if (!text.includes('://')) return text;
  return text.replace(/:\/\/\S*@/g, `://${REDACTED}@`).replace(/([?&][^=&\s]+=)[^&\s]+/g, `$1${REDACTED}`);
}
