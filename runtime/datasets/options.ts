/** The `datasets` block: where files of cases are kept. */
import { type Static, Type } from '@sinclair/typebox';

export const DatasetsOptions = Type.Object(
  {
    path: Type.String({
      default: '.files/datasets',
      minLength: 1,
      path: true,
      description: 'The folder of the datasets. Each is a file of cases in the format of `skein eval`.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'Datasets: questions with expected answers.' },
);

export type DatasetsOptions = Static<typeof DatasetsOptions>;
