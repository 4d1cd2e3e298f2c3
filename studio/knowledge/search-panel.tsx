/** The search of the knowledge base, as workflows run it: the passages for an answer, with their scores. */
import { type FormEvent, useState } from 'react';
import { type Passage, search } from '../data/knowledge.ts';
import { Excerpt } from '../markdown/excerpt.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { changeQuery } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';
import { Highlighted } from './highlighted.tsx';
import { KnowledgeError } from './knowledge-error.tsx';
import { ScoreBar } from './score-bar.tsx';

interface SearchPanelProps {
  /** Empty before the first search. */
  query: string;
  open(passage: Passage): void;
}

export function SearchPanel({ query, open }: SearchPanelProps) {
  const [text, setText] = useState(query);

  function submit(event: FormEvent) {
    event.preventDefault();
    changeQuery({ q: text.trim() || undefined });
  }
  return (
    <section aria-label="Search" className="stack">
      <form className="row" onSubmit={submit}>
        <input
          className="field grow"
          type="search"
          aria-label="Search documents"
          placeholder="Ask a question or enter keywords"
          maxLength={2_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button primary">
          <Icon name="search" size={14} />
          Search
        </button>
      </form>
      {query && <Results query={query} open={open} />}
    </section>
  );
}

function Results({ query, open }: SearchPanelProps) {
  const { data, error } = useResource(`knowledge-search:${query}`, () => search(query));
  if (error) return <KnowledgeError error={error} />;
  if (!data) return <Loading lines={6} />;
  const { found, passages } = data;
  if (passages.length === 0)
    return (
      <Empty title="No passages found">
        <p className="small">A workflow would find nothing to answer with. Try different words.</p>
      </Empty>
    );
  const most = {
    vector: Math.max(...passages.map(({ scores }) => scores.vector ?? 0), 1),
    text: Math.max(...passages.map(({ scores }) => scores.text ?? 0)),
    fused: Math.max(...passages.map(({ scores }) => scores.fused)),
  };
  return (
    <>
      <p className="small muted" role="status">
        {passages.length} {passages.length === 1 ? 'passage' : 'passages'} for “{query}”
        {!found && '. None is relevant enough to be used in an answer'}
      </p>
      <ol className="passages">
        {passages.map((passage) => (
          <li key={`${passage.document} ${passage.start}`} className="panel passage">
            <div className="passage-head">
              <button type="button" className="link" onClick={() => open(passage)}>
                {passage.document}
              </button>
              <span className="muted small">
                {[passage.heading, passage.page === null ? '' : `page ${passage.page}`]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </div>
            <div className="passage-text">
              <Excerpt
                document={passage.document}
                text={passage.text}
                words={(text) => <Highlighted text={text} query={query} />}
              />
            </div>
            <dl className="scores">
              <ScoreBar name="vector" value={passage.scores.vector} most={most.vector} />
              <ScoreBar name="text" value={passage.scores.text} most={most.text} />
              <ScoreBar name="fused" value={passage.scores.fused} most={most.fused} />
            </dl>
          </li>
        ))}
      </ol>
    </>
  );
}
