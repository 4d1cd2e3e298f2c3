/** Reads an entry of a store's stock, which may have any shape. */

export type StockEntry = Record<string, unknown>;

/** Reads `{bike: {brand, model, year, price}, quantity}`, or the same fields without `bike`. */
export function stockText(entry: StockEntry, name: string): string | undefined {
  return textOf(bikeOf(entry)?.[name]) ?? textOf(entry[name]);
}

export function stockNumber(entry: StockEntry, name: string): number | undefined {
  return numberOf(bikeOf(entry)?.[name]) ?? numberOf(entry[name]);
}

/** The names under which a sale may refer to the bike. */
export function stockNames(entry: StockEntry): string[] {
  const [brand, model] = [stockText(entry, 'brand'), stockText(entry, 'model')];
  const codes = ['product_code', 'code', 'sku'].map((name) => stockText(entry, name));
  const full = brand !== undefined && model !== undefined ? `${brand} ${model}` : undefined;
  return [...codes, model, full].filter((name) => name !== undefined);
}

export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bikeOf({ bike }: StockEntry): Record<string, unknown> | undefined {
  return isFields(bike) ? bike : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
