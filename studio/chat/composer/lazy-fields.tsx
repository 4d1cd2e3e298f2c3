/** Lazy components of the composer: most messages are only a text. */
import { lazyWithStyles } from '../../lazy-with-styles.ts';

export const SchemaInput = lazyWithStyles(async () => ({
  default: (await import('../../parts/schema-form/schema-input.tsx')).SchemaInput,
}));

export const AdvancedFields = lazyWithStyles(async () => ({
  default: (await import('./advanced.tsx')).AdvancedFields,
}));
