/** Prints a TypeScript type without references to other files: aliases, generics and inferred types are written out. */
import ts from 'typescript-5';

const WORDS =
  ts.TypeFlags.Unknown |
  ts.TypeFlags.Never |
  ts.TypeFlags.Void |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Null |
  ts.TypeFlags.String |
  ts.TypeFlags.Number |
  ts.TypeFlags.Boolean |
  ts.TypeFlags.BooleanLiteral |
  ts.TypeFlags.StringLiteral |
  ts.TypeFlags.NumberLiteral;

/**
 * Throws for types without a plain form: functions, classes and type parameters. A type whose text is a key of `names` is
 * printed as the name.
 */
export function typeText(
  checker: ts.TypeChecker,
  names: ReadonlyMap<string, string>,
): (type: ts.Type) => string {
  return text;

  function text(type: ts.Type): string {
    if (type.flags & WORDS) return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    if (type.isUnion()) return named(unionText(type));
    if (checker.isArrayType(type)) return `${elementText(type)}[]`;
    // A type of the platform, so every user has it.
    if (type.symbol?.name === 'Response') return 'Response';
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return named(objectText(type));
    throw noPlainForm(type);
  }

  function named(written: string): string {
    return names.get(written) ?? written;
  }

  /** Null and undefined come last, so that the rest can be named. */
  function unionText({ types }: ts.UnionType): string {
    const isNothing = (one: ts.Type) => (one.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)) > 0;
    const values = types.filter((one) => !isNothing(one)).map(text);
    const joined = named(values.join(' | ').replace('false | true', 'boolean'));
    return [joined, ...types.filter(isNothing).map(text)].filter(Boolean).join(' | ');
  }

  function elementText(array: ts.Type): string {
    const [element] = checker.getTypeArguments(array as ts.TypeReference);
    if (!element) throw noPlainForm(array);
    return element.isUnion() ? `(${text(element)})` : text(element);
  }

  function objectText(type: ts.Type): string {
    if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0)
      throw noPlainForm(type);
    const indexes = checker
      .getIndexInfosOfType(type)
      .map((info) => `[key: ${text(info.keyType)}]: ${text(info.type)}`);
    const parts = [...indexes, ...checker.getPropertiesOfType(type).map(propertyText)];
    return parts.length === 0 ? '{}' : `{ ${parts.join('; ')} }`;
  }

  function propertyText(property: ts.Symbol): string {
    const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
    // HTTP statuses are also printed as numbers if they are keys.
    const name = /^(?:[A-Za-z_]\w*|[1-9]\d*)$/.test(property.name)
      ? property.name
      : JSON.stringify(property.name);
    return `${name}${optional}: ${text(checker.getTypeOfSymbol(property))}`;
  }

  function noPlainForm(type: ts.Type): Error {
    return new Error(`a type has no plain form: ${checker.typeToString(type)}`);
  }
}
