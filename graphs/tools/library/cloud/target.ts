/** Which index of which search service is meant. */
import { configurationError } from '../../../../state/errors.ts';
import type { CloudSearchOptions } from '../options.ts';

export interface CloudTarget {
  endpoint: string;
  index: string;
  key: string;
  semanticConfiguration?: string | undefined;
}

/** Throws CONFIGURATION_ERROR, naming the field, where the settings do not say to what. */
export function targetOf(options: CloudSearchOptions = {}): CloudTarget {
  const required = (field: 'endpoint' | 'index_name' | 'api_key') => {
    const value = options[field];
    if (value) return value;
    throw configurationError(`cloud_search.${field}`, 'missing; knowledge_base.mode: cloud needs it');
  };
  return {
    endpoint: required('endpoint'),
    index: required('index_name'),
    key: required('api_key'),
    semanticConfiguration: options.semantic_configuration,
  };
}
