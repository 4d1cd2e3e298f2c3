/** The results of a dataset, newest first, with the models and prompt versions. */
import type { ResultHead } from '../data/datasets.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { ResultChip } from './result-chip.tsx';
import { promptsText } from './versions.ts';

export function ResultList({ name, results }: { name: string; results: ResultHead[] | undefined }) {
  if (!results) return <Loading lines={6} />;
  if (results.length === 0)
    return (
      <Empty title="No results yet">
        <p className="small">Select a workflow above and click “Run”. Each case is a separate run.</p>
      </Empty>
    );
  return (
    <div className="panel scroll-x">
      <table className="runs-table">
        <thead>
          <tr>
            <th scope="col">Created</th>
            <th scope="col">Result</th>
            <th scope="col" className="wide">
              Workflow
            </th>
            <th scope="col" className="wide">
              Prompts
            </th>
            <th scope="col" className="wide">
              Model
            </th>
            <th scope="col" className="number">
              Tokens
            </th>
            <th scope="col" className="wide">
              Author
            </th>
          </tr>
        </thead>
        <tbody>
          {results.map((result) => (
            <tr key={result.result_id}>
              <td>
                <Link href={address(['datasets', name], { result: result.result_id })}>
                  <Ago at={result.created_at} />
                </Link>
              </td>
              <td>
                <ResultChip result={result} />
              </td>
              <td className="wide">{result.workflow}</td>
              <td className="wide">{promptsText(result)}</td>
              <td className="wide">{result.models.join(', ')}</td>
              <td className="number">{result.tokens.toLocaleString()}</td>
              <td className="wide">{result.author}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
