/** Reads the settings of the search service and its index. */
import { configurationError } from '../../../state/errors.ts';
import type { CloudSearchOptions } from '../options.ts';

export interface CloudTarget {
  endpoint: string;
  index: string;
  key: string;
  semanticConfiguration?: string | undefined;
}

/** Throws CONFIGURATION_ERROR, naming the field, if a setting is missing. */
export function targetOf(options: CloudSearchOptions = {}): CloudTarget {
  const { endpoint, index_name, api_key, semantic_configuration } = options;
  return {
    endpoint: required(endpoint, 'endpoint'),
    index: required(index_name, 'index_name'),
    key: required(api_key, 'api_key'),
    semanticConfiguration: semantic_configuration,
  };
}

function required(value: string | undefined, field: string): string {
  if (value) return value;
  throw configurationError(`cloud_search.${field}`, 'missing; knowledge_base.mode: cloud needs it');
}
