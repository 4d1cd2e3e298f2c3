/** A graph's source file, and the schemas of its TypeScript types. */
import type { JsonSchema } from './graph-schemas.ts';

export interface GraphSource {
  /** Absolute path. */
  file: string;
  /** The name of the graph's export. */
  export: string;
}

export interface TypedSchema {
  state?: JsonSchema;
  input?: JsonSchema;
  output?: JsonSchema;
  config?: JsonSchema;
}

/** By the name of the export; subgraphs by that name, a bar and their namespace. */
export type GraphTypes = Record<string, TypedSchema>;
