/** The twelve shops of the sample data. All names are invented. */

export interface Store {
  store_id: number;
  name: string;
  city: string;
  country: string;
  /** ISO date. */
  opened: string;
  /** Its share of the sales, compared with other shops. Not in the database. */
  size: number;
}

export const STORES: readonly Store[] = (
  [
    ['Bike Hub Berlin', 'Berlin', 'Germany', '2014-03-22', 1.7],
    ['Isarrad', 'Munich', 'Germany', '2015-05-09', 1.3],
    ['Elbe Cycles', 'Hamburg', 'Germany', '2017-04-01', 1.1],
    ['Canal Bikes', 'Amsterdam', 'Netherlands', '2012-09-15', 1.8],
    ['Polder Fietsen', 'Utrecht', 'Netherlands', '2018-03-10', 1],
    ['Vélo Lumière', 'Paris', 'France', '2016-06-18', 1.2],
    ['Rhône Cycles', 'Lyon', 'France', '2019-04-06', 0.7],
    ['Alpenrad', 'Zürich', 'Switzerland', '2016-10-01', 0.9],
    ['Donau Bikes', 'Vienna', 'Austria', '2018-09-29', 0.8],
    ['Harbour Cycles', 'Copenhagen', 'Denmark', '2013-05-25', 1.4],
    ['Ciclo Duomo', 'Milan', 'Italy', '2020-07-04', 0.6],
    ['Sierra Ciclos', 'Barcelona', 'Spain', '2021-03-13', 0.8],
  ] as const
).map(([name, city, country, opened, size], index) => ({
  store_id: index + 1,
  name,
  city,
  country,
  opened,
  size,
}));
