/** Marks a database as created by Skein. The mark is an empty schema, which no list of tables shows and no model sees. */

export const MARK = 'made_by_skein';
