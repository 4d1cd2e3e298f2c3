/** The sixty bikes of the sample data: brands and models are invented, prices are what such bikes cost. */

export const CATEGORIES = ['road', 'mountain', 'city', 'e-bike', 'kids', 'gravel'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface Product {
  product_id: number;
  brand: string;
  model: string;
  category: Category;
  model_year: number;
  /** Euros. */
  list_price: number;
  cost: number;
  /** How well it sells compared with other bikes of its category. Not in the database. */
  appeal: number;
}

/** Model, year and list price. The brands alternate within a category. */
type Model = readonly [model: string, year: number, price: number];

const RANGE: Record<Category, { brands: readonly string[]; margin: number; lines: readonly Model[] }> = {
  road: {
    brands: ['Tramontane', 'Velora', 'Norrland'],
    margin: 0.36,
    lines: [
      ['Aero 1', 2022, 1299],
      ['Sprint 105', 2021, 1849],
      ['Fjell R2', 2022, 1599],
      ['Aero 3', 2023, 2399],
      ['Sprint Carbon', 2023, 2999],
      ['Fjell R5', 2023, 3499],
      ['Mistral SL', 2024, 5299],
      ['Endura', 2022, 1149],
      ['Allroad', 2021, 999],
      ['Mistral Pro', 2024, 7499],
    ],
  },
  mountain: {
    brands: ['Bergwind', 'Norrland', 'Pinyon'],
    margin: 0.37,
    lines: [
      ['Gipfel 29', 2022, 899],
      ['Skarn 120', 2022, 1699],
      ['Ridge 1', 2021, 749],
      ['Gipfel Carbon', 2023, 3299],
      ['Skarn 150', 2023, 2799],
      ['Ridge 3', 2022, 1249],
      ['Lawine', 2024, 4499],
      ['Troll', 2021, 649],
      ['Canyonero', 2023, 2199],
      ['Steig', 2024, 1999],
    ],
  },
  city: {
    brands: ['Citro', 'Velora', 'Grachten'],
    margin: 0.41,
    lines: [
      ['Metro 3', 2021, 449],
      ['Boulevard', 2022, 699],
      ['Oma 7', 2021, 599],
      ['Metro 8', 2022, 649],
      ['Boulevard Step', 2023, 749],
      ['Opa 7', 2022, 629],
      ['Commuter', 2023, 899],
      ['Passage', 2021, 399],
      ['Bakfiets', 2023, 1899],
      ['Folding 16', 2024, 999],
    ],
  },
  'e-bike': {
    brands: ['Voltano', 'Bergwind', 'Grachten'],
    margin: 0.33,
    lines: [
      ['Pulse 400', 2022, 2199],
      ['E-Gipfel', 2022, 4299],
      ['E-Oma', 2021, 1999],
      ['Pulse 500', 2023, 2699],
      ['E-Lawine', 2023, 5999],
      ['E-Bakfiets', 2023, 4799],
      ['Pulse 750', 2024, 3499],
      ['E-Steig', 2024, 3899],
      ['E-Opa', 2022, 2099],
      ['Cargo One', 2024, 5499],
    ],
  },
  kids: {
    brands: ['Pippin', 'Citro', 'Pinyon'],
    margin: 0.45,
    lines: [
      ['Balance 12', 2021, 119],
      ['Mini Metro 16', 2022, 249],
      ['Scout 20', 2022, 329],
      ['Balance 12 Plus', 2023, 149],
      ['Mini Metro 20', 2022, 299],
      ['Scout 24', 2022, 399],
      ['First Gear 18', 2023, 279],
      ['Mini Metro 24', 2023, 349],
      ['Scout 26', 2024, 449],
      ['Balance Wood', 2024, 99],
    ],
  },
  gravel: {
    brands: ['Norrland', 'Tramontane', 'Velora'],
    margin: 0.36,
    lines: [
      ['Tundra 1', 2022, 1399],
      ['Sirocco', 2022, 1799],
      ['Pathfinder', 2021, 1199],
      ['Tundra 2', 2023, 1999],
      ['Sirocco Carbon', 2023, 3199],
      ['Pathfinder Plus', 2022, 1549],
      ['Tundra Pro', 2024, 3999],
      ['Levante', 2023, 2299],
      ['Wanderer', 2023, 1699],
      ['Tundra Lite', 2024, 1149],
    ],
  },
};

export const PRODUCTS: readonly Product[] = CATEGORIES.flatMap((category) => {
  const { brands, margin, lines } = RANGE[category];
  return lines.map(([model, model_year, list_price], index) => ({
    brand: brands[index % brands.length] ?? '',
    model,
    category,
    model_year,
    list_price,
    cost: Math.round(list_price * (1 - margin) * 100) / 100,
    appeal: Math.sqrt(1000 / list_price) * (1 + (index % 4) / 4),
  }));
}).map((product, index) => ({ product_id: index + 1, ...product }));
