/** Why the guard rejects a statement: the id of the rule, and an actionable message for the author of the statement. */
export interface Refusal {
  rule:
    | 'too_long'
    | 'no_statement'
    | 'syntax_error'
    | 'one_statement'
    | 'select_only'
    | 'function_not_allowed'
    | 'table_not_allowed'
    | 'table_function_not_allowed'
    | 'catalog_not_allowed'
    | 'recursion_not_allowed'
    | 'argument_not_allowed'
    | 'too_many_combinations'
    | 'too_nested'
    | 'unknown_syntax'
    | 'invalid_sql';
  reason: string;
}
