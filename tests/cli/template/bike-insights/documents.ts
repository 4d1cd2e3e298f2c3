/** Documents of bike sales: the one of the specification, one with all fields, and a large one. */

/** The document of the specification. */
export const SPECIFIED = {
  stores: [
    {
      name: 'Downtown Bikes',
      location: '1 Main Street',
      bike_sales: [
        {
          product_code: 'MTB-2024',
          quantity_sold: 5,
          sale_date: '2024-05-14',
          year: 2024,
          month: 'May',
          customer_review: { rating: 4.5, comment: 'Great bike, excellent brakes!' },
        },
        {
          product_code: 'ROAD-7',
          quantity_sold: 2,
          sale_date: '2024-06-02',
          year: 2024,
          month: 'June',
          customer_review: { rating: 2, comment: 'The saddle is terribly uncomfortable.' },
        },
      ],
      bike_stock: [],
    },
  ],
  revision_id: 'v-1',
  identifier: 'doc-1',
};

/** About a megabyte: 20 stores with 265 sales each. */
export function largeDocument() {
  const sale = (index: number) => ({
    product_code: `P-${index % 40}`,
    quantity_sold: 1 + (index % 7),
    sale_date: `202${index % 4}-0${1 + (index % 9)}-1${index % 9}`,
    year: 2020 + (index % 4),
    month: 'May',
    customer_review: {
      rating: 1 + (index % 5),
      comment: `Great bike but the brakes squeak, number ${index}`,
    },
    channel: index % 2 === 0 ? 'web' : 'shop',
  });
  return {
    identifier: 'large',
    stores: Array.from({ length: 20 }, (_, store) => ({
      name: `Store ${store}`,
      location: 'Utrecht',
      bike_sales: Array.from({ length: 265 }, (_, index) => sale(index)),
      bike_stock: [
        { bike: { brand: 'Rover', model: `P-${store}`, year: 2024, price: 100 + store }, quantity: 3 },
      ],
    })),
  };
}
