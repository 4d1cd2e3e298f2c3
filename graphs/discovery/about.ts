/** The export `about`, with which a graph file describes its graph. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

export const About = Type.Object({
  /** One sentence about its purpose. */
  description: Type.Optional(Type.String({ minLength: 1 })),
  /** A prompt that works, for documentation and trials. */
  example: Type.Optional(Type.String({ minLength: 1 })),
  agents: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ minLength: 1 }), description: Type.String() })),
  ),
  category: Type.Optional(Type.String({ minLength: 1 })),
});

export type About = Static<typeof About>;

/** Throws if `given` is not a valid description, naming the field. */
export function aboutOf(given: unknown): About {
  if (given === undefined) return {};
  const [wrong] = Value.Errors(About, given);
  if (wrong) {
    const field = wrong.path.slice(1).replaceAll('/', '.');
    throw new Error(`about${field && `.${field}`}: ${wrong.message.toLowerCase()}`);
  }
  return given as About;
}
