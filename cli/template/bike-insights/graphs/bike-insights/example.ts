/** A small example document. */
import type { BikeDocument } from './document.ts';

export const EXAMPLE: BikeDocument = {
  stores: [
    {
      name: 'Canal Bikes',
      location: 'Amsterdam',
      bike_sales: [
        {
          product_code: 'City One',
          quantity_sold: 12,
          sale_date: '2024-03-14',
          year: 2024,
          month: 'March',
          customer_review: { rating: 4.5, comment: 'Comfortable and quick, great for the city.' },
        },
        {
          product_code: 'Trail 29',
          quantity_sold: 3,
          sale_date: '2024-04-02',
          year: 2024,
          month: 'April',
          customer_review: { rating: 2, comment: 'The brakes squeak and the shop was slow to help.' },
        },
      ],
      bike_stock: [{ bike: { brand: 'Rover', model: 'City One', year: 2024, price: 749 }, quantity: 8 }],
    },
  ],
  revision_id: 'default',
  identifier: 'example',
};
