/** The result of a classification. */

interface Result {
  category: string;
  topic: string;
  confidence: number;
  sentiment: { label: string; score: number };
  explanation: string;
}

export function classificationIn(data: unknown): Result | undefined {
  const { category, topic, confidence, sentiment, explanation } = (data ?? {}) as Partial<Result>;
  if (typeof category !== 'string' || typeof confidence !== 'number') return undefined;
  return {
    category,
    confidence,
    topic: typeof topic === 'string' ? topic : '',
    explanation: typeof explanation === 'string' ? explanation : '',
    sentiment: { label: String(sentiment?.label ?? 'neutral'), score: Number(sentiment?.score ?? 0) },
  };
}

const TONES: Record<string, string> = { positive: 'good', negative: 'bad' };

export function Classification({ result }: { result: Result }) {
  const { category, topic, confidence, sentiment, explanation } = result;
  return (
    <div className="stack">
      <div className="row wrap">
        <span className="chip">{category}</span>
        {topic && <span className="small">{topic}</span>}
        <span className={`chip ${TONES[sentiment.label] ?? ''}`}>
          {sentiment.label} {sentiment.score.toFixed(2)}
        </span>
        <span className="muted small">Confidence {confidence.toFixed(2)}</span>
      </div>
      {explanation && <p className="muted small">{explanation}</p>}
    </div>
  );
}
