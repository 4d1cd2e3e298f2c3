/** The rendered text or its error, requested from the service when you pause typing. */
import { useEffect, useState } from 'react';
import { type PromptName, previewPrompt } from '../../data/prompts.ts';
import { useDebounced } from '../../parts/use-debounced.ts';

export interface Preview {
  /** The result for the last valid text. */
  text: string | undefined;
  error: Error | undefined;
}

const DEBOUNCE_MS = 300;

export function usePreview(
  { revision, file }: PromptName,
  content: string | undefined,
  values: Record<string, unknown> | undefined,
): Preview {
  const [preview, setPreview] = useState<Preview>({ text: undefined, error: undefined });
  const request = useDebounced(
    content === undefined || !values ? undefined : JSON.stringify({ content, values }),
    DEBOUNCE_MS,
  );
  useEffect(() => {
    if (request === undefined) return;
    let isLatest = true;
    const parsed = JSON.parse(request) as { content: string; values: Record<string, unknown> };
    previewPrompt({ revision, file }, parsed.content, parsed.values).then(
      ({ text }) => isLatest && setPreview({ text, error: undefined }),
      (error: unknown) => isLatest && setPreview((before) => ({ ...before, error: asError(error) })),
    );
    return () => {
      isLatest = false;
    };
  }, [request, revision, file]);
  return preview;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
