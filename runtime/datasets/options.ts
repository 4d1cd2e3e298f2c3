/** The `datasets` block: where files of cases are kept. */
import { type Static, Type } from '@sinclair/typebox';

export const DatasetsOptions = Type.Object(
  {
    path: Type.String({
      default: '.files/datasets',
      minLength: 1,
      path: true,
      description: 'The folder of the datasets: a file of cases each, as `skein eval` reads them.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'Questions with the answers that are expected.' },
);

export type DatasetsOptions = Static<typeof DatasetsOptions>;
