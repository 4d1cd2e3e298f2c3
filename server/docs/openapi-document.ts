/** The types of an OpenAPI document, reduced to the fields that this folder uses. */
import type { Schema } from '../http/schemas/documented-schema.ts';

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

export interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, OperationResponse>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
  description?: string;
}

export interface OperationResponse {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Content;
}

export type Content = Record<string, { schema?: Schema }>;
