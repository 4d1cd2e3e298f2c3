/** The rules of `knowledge_base` about addresses of object stores: what each needs, and which places go together. */
import type { Problem } from '../state/schema/check-options.ts';
import {
  type Address,
  addressOf,
  EXPECTED_ADDRESS,
  isAddress,
  overlaps,
} from '../tools/knowledge/storage/address.ts';
import { azureAccount } from '../tools/knowledge/storage/azure-account.ts';
import type { Settings } from './schema.ts';

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
      reason: 'expected a place outside of knowledge_base.documents_path, and not around it',
    });
  if (documents.scheme !== index.scheme && base.endpoint !== undefined)
    problems.push({
      path: 'knowledge_base.endpoint',
      reason: 'expected no endpoint, or documents_path and index_path in the same kind of store',
    });
  return problems;
}

/** Which credentials an address lacks; an emulator of Google's store takes none. */
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
  return `credentials are missing, ${store} needs them; set ${variables}, or knowledge_base.credentials`;
}
