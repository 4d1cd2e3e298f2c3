/** What a text gives with some variables, or what is wrong with it: asked of the service whenever typing rests. */
import { useEffect, useState } from 'react';
import { type PromptName, previewPrompt } from '../data/prompts.ts';
import { useDebounced } from '../parts/use-debounced.ts';

export interface Preview {
  /** Of the last text that could be rendered. */
  text: string | undefined;
  error: Error | undefined;
}

const REST_MS = 300;

export function usePreview(
  { revision, file }: PromptName,
  content: string | undefined,
  values: Record<string, unknown> | undefined,
): Preview {
  const [preview, setPreview] = useState<Preview>({ text: undefined, error: undefined });
  const asked = useDebounced(
    content === undefined || !values ? undefined : JSON.stringify({ content, values }),
    REST_MS,
  );
  useEffect(() => {
    if (asked === undefined) return;
    let isLast = true;
    const question = JSON.parse(asked) as { content: string; values: Record<string, unknown> };
    previewPrompt({ revision, file }, question.content, question.values).then(
      ({ text }) => isLast && setPreview({ text, error: undefined }),
      (error: unknown) => isLast && setPreview((before) => ({ ...before, error: asError(error) })),
    );
    return () => {
      isLast = false;
    };
  }, [asked, revision, file]);
  return preview;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
