/** Shares string formats and types between all installed copies of TypeBox: one copy may check another's schema. */
import { FormatRegistry, TypeRegistry } from '@sinclair/typebox';

interface Registries {
  formats: typeof FormatRegistry;
  types: typeof TypeRegistry;
}

// Global, because a project's own copy of this file must find the service's.
const KEY = Symbol.for('skein.schema_registries');
const shared = globalThis as { [KEY]?: Registries[] };
shared[KEY] ??= [];
const copies = shared[KEY];
copies.push({ formats: FormatRegistry, types: TypeRegistry });

/** Registers in every copy what the others have registered; a copy keeps its own check for a name that it already has. */
export function shareSchemaRegistries(): void {
  for (const from of copies) for (const to of copies) copy(from, to);
}

function copy(from: Registries, to: Registries): void {
  for (const [name, check] of from.formats.Entries()) if (!to.formats.Has(name)) to.formats.Set(name, check);
  for (const [name, check] of from.types.Entries()) if (!to.types.Has(name)) to.types.Set(name, check);
}
