/** The tools of the agent. Replace the list with your own database or service. */
import { tool } from '@langchain/core/tools';
import { z } from 'zod';

const STOCK = [
  { product: 'TREK-9', pieces: 2, price: 1349 },
  { product: 'CITY-3', pieces: 7, price: 899 },
  { product: 'EBIKE-1', pieces: 0, price: 2499 },
];

const getStock = tool(
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

const orderTotal = tool(({ pieces, price }) => `${pieces * price} euros`, {
  name: 'order_total',
  description: 'What an order costs',
  schema: z.object({ pieces: z.number().int().positive(), price: z.number().describe('Euros for each') }),
});

export const tools = [getStock, orderTotal];
