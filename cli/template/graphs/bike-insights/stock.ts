/** An entry of a store's stock, which may have any shape: what is understood of it. */

export interface Stock {
  brand: string | undefined;
  model: string | undefined;
  year: number | undefined;
  price: number | undefined;
  quantity: number | undefined;
  /** What its bike may be called in a sale. */
  names: string[];
}

type Fields = Record<string, unknown>;

/** Reads `{bike: {brand, model, year, price}, quantity}`, and the same fields without `bike` around them. */
export function stockOf(entry: Fields): Stock {
  const bike = isFields(entry.bike) ? entry.bike : {};
  const text = (name: string) => textOf(bike[name]) ?? textOf(entry[name]);
  const number = (name: string) => numberOf(bike[name]) ?? numberOf(entry[name]);
  const [brand, model] = [text('brand'), text('model')];
  const codes = ['product_code', 'code', 'sku'].map(text);
  const full = brand !== undefined && model !== undefined ? `${brand} ${model}` : undefined;
  return {
    brand,
    model,
    year: number('year'),
    price: number('price'),
    quantity: number('quantity'),
    names: [...codes, model, full].filter((name) => name !== undefined),
  };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
