/** Rules for object store addresses in `knowledge_base`: what each needs, and which may be combined. */
import type { Problem } from '../../state/schema/check-options.ts';
import {
  type Address,
  addressOf,
  EXPECTED_ADDRESS,
  isAddress,
  overlaps,
} from '../../tools/knowledge/storage/address.ts';
import { azureAccount } from '../../tools/knowledge/storage/azure-account.ts';
import type { Settings } from '../schema.ts';

type Base = Settings['knowledge_base'];

const FIELDS = ['documents_path', 'index_path'] as const;

export function storageProblems({ knowledge_base: base }: Settings): Problem[] {
  if (base.mode !== 'local') return [];
  const places = FIELDS.map((field) => ({ path: `knowledge_base.${field}`, text: base[field] })).filter(
    ({ text }) => isAddress(text),
  );
  const problems: Problem[] = [];
  const addresses: Address[] = [];
  for (const { path, text } of places) {
    const address = addressOf(text);
    const reason = address ? missingFor(address, base) : EXPECTED_ADDRESS;
    if (address) addresses.push(address);
    if (reason !== undefined) problems.push({ path, reason });
  }
  const [documents, index] = addresses;
  if (!documents || !index) return problems;
  if (overlaps(documents, index))
    problems.push({
      path: 'knowledge_base.index_path',
      reason: 'must not be inside knowledge_base.documents_path or contain it',
    });
  if (documents.scheme !== index.scheme && base.endpoint !== undefined)
    problems.push({
      path: 'knowledge_base.endpoint',
      reason: 'not allowed unless documents_path and index_path use the same kind of store',
    });
  return problems;
}

/** The credentials that an address lacks. An emulator of Google Cloud Storage needs none. */
function missingFor({ scheme }: Address, base: Base): string | undefined {
  const { credentials = {}, endpoint } = base;
  if (scheme === 's3') {
    if (credentials.access_key_id && credentials.secret_access_key) return undefined;
    return missing('s3://', 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  if (scheme === 'az') {
    const { name, key, sas } = azureAccount({ endpoint, credentials });
    if (name && (key || sas)) return undefined;
    return missing('az://', 'AZURE_STORAGE_CONNECTION_STRING');
  }
  if (credentials.service_account || endpoint) return undefined;
  return missing('gs://', 'GOOGLE_APPLICATION_CREDENTIALS');
}

function missing(store: string, variables: string): string {
  return `missing credentials for ${store}; set ${variables}, or knowledge_base.credentials`;
}
