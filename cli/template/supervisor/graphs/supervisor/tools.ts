/** The tools of the experts. Replace the lists with your own databases or services. */
import { tool } from '@langchain/core/tools';
import { z } from 'zod';

const STOCK = [
  { product: 'TREK-9', pieces: 2, price: 1349 },
  { product: 'CITY-3', pieces: 7, price: 899 },
  { product: 'EBIKE-1', pieces: 0, price: 2499 },
];

export const getStock = tool(
  ({ product }) => {
    const wanted = product.toLowerCase();
    const found = STOCK.filter((one) => wanted.includes(one.product.toLowerCase()));
    const lines = found.map((one) => `${one.product}: ${one.pieces} in stock, ${one.price} euros each`);
    return lines.join('\n') || `Unknown. The products are ${STOCK.map((one) => one.product).join(', ')}.`;
  },
  {
    name: 'get_stock',
    description: 'How many pieces of a product are in stock, and what one costs',
    schema: z.object({ product: z.string().describe('The name of the product') }),
  },
);

const DAYS = { amsterdam: 1, utrecht: 1, munich: 4 };

export const getDelivery = tool(
  ({ city }) => {
    const found = Object.entries(DAYS).filter(([name]) => city.toLowerCase().includes(name));
    const lines = found.map(([name, days]) => `To ${name}: ${days} working ${days === 1 ? 'day' : 'days'}`);
    return lines.join('\n') || `Unknown. The cities are ${Object.keys(DAYS).join(', ')}.`;
  },
  {
    name: 'get_delivery',
    description: 'How many days a delivery to a city takes',
    schema: z.object({ city: z.string().describe('The name of the city') }),
  },
);
