/** Returns the text of a response, or the first chunk of an endless stream. */
export async function answerText(response: Response, path: string): Promise<string> {
  if (!ENDLESS.test(path) || !response.ok) return response.text();
  const reader = response.body?.getReader();
  const piece = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(piece?.value);
}

const ENDLESS = /^\/api\/v1\/thread-changes/;
