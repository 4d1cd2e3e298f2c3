/** A JSON object with any fields, such as metadata or a config. */
import { Type } from '@sinclair/typebox';

export const JsonObject = Type.Record(Type.String(), Type.Unknown());
