/** Finds environment variables that look like settings of the service, but are not. */
import type { TSchema } from '@sinclair/typebox';
import { nearest } from '../../state/schema/nearest.ts';
import { Settings } from '../schema.ts';
import { isRead, PLAIN_VARIABLES } from './environment.ts';
import type { Variables } from './variables.ts';

const PROVIDER = 'LLM_PROVIDER_';
const SIMILAR = /^LLM_?PROVIDERS?_?/i;
const SERVICE = /^SERVICE_/i;
const FILE = /_FILE$/i;

// Kubernetes sets these in every pod if a Service's name begins with `service`.
const OF_KUBERNETES = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const ADDRESS_OF_KUBERNETES = /^(tcp|udp|sctp):\/\//;

/** One sentence per unread variable. They are not errors: other programs may use variables with the same prefix. */
export function unreadVariables(variables: Variables, references: ReadonlySet<string>): string[] {
  return [...variables].flatMap(([name, { text, origin }]) => {
    if (isRead(name) || references.has(name)) return [];
    if (SIMILAR.test(name)) return [`${origin.source} is ignored; ${providerHint(name)}`];
    const isForeign =
      OF_KUBERNETES.test(name) || ADDRESS_OF_KUBERNETES.test(text) || KUBERNETES_OWN.has(name);
    if (!SERVICE.test(name) || isForeign) return [];
    return [`${origin.source} is ignored; ${serviceHint(name)}`];
  });
}

// A Service named `service`, or with one port.
const KUBERNETES_OWN = new Set(['SERVICE_HOST', 'SERVICE_PORT']);

function providerHint(name: string): string {
  const all = PLAIN_VARIABLES.filter((known) => known.startsWith(PROVIDER));
  const known = all.map((one) => one.slice(PROVIDER.length));
  const [file = ''] = FILE.exec(name.toUpperCase()) ?? [];
  const meant = meantBy(name.replace(SIMILAR, '').replace(FILE, '').toUpperCase(), known);
  return meant ? `did you mean ${PROVIDER}${meant}${file}?` : `known variables are ${all.join(', ')}`;
}

/** `KEY` and `URL` are too short for a spelling match, so also compare the end of the name. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  return nearest(name, known) ?? known.find((one) => one.endsWith(`_${name}`));
}

function serviceHint(name: string): string {
  const [file = ''] = FILE.exec(name.toUpperCase()) ?? [];
  // Compare names without their common prefix, which would make any two names similar.
  const known = new Map([...PLAIN_VARIABLES, ...below(Settings, 'SERVICE_')].map((one) => [bare(one), one]));
  const word = bare(name.replace(FILE, '').toUpperCase());
  const names = [...known.keys()];
  const meant = known.get(nearest(word, names) ?? names.find((one) => one.endsWith(`__${word}`)) ?? '');
  return meant ? `did you mean ${meant}${file}?` : 'settings are named SERVICE_<BLOCK>__<FIELD>';
}

function bare(name: string): string {
  return name.replace(SERVICE, '');
}

/** The variable names of all blocks and fields, except list entries and the names of workflows. */
function below(schema: TSchema, prefix: string): string[] {
  return Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([key, field]) => {
    const name = `${prefix}${key.toUpperCase()}`;
    return [name, ...below(field, `${name}__`)];
  });
}
