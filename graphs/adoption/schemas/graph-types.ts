/** What a graph's source says of it: where it is written, and the schemas of its types. */
import type { JsonSchema } from './graph-schemas.ts';

export interface GraphSource {
  /** Absolute. */
  file: string;
  /** The name under which the file exports the graph. */
  export: string;
}

export interface TypedSchema {
  state?: JsonSchema;
  input?: JsonSchema;
  output?: JsonSchema;
  config?: JsonSchema;
}

/** By the name of the export, and for the graphs inside by that, a bar and their namespace. */
export type GraphTypes = Record<string, TypedSchema>;
