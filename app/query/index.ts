export { checkDeclaration } from './check_declaration.js'
export { where, type Condition, type Group, type Leaf, type SqlCondition } from './condition.js'
export type {
  ColumnType,
  ComputedColumn,
  Declaration,
  Direction,
  Link,
  Property,
  Vocabulary,
} from './declaration.js'
export { decode, type DecodedQuery, type DecodeMode } from './decode.js'
export {
  describe,
  type CollectionDescription,
  type Description,
  type RecordDescription,
} from './describe.js'
export { droppedKeysError, droppedKeysHeader, type DroppedKey } from './dropped_keys.js'
export { QueryError, type IssueCode, type QueryIssue, type QueryParameter } from './errors.js'
export { labelsOf, type Labels } from './labels.js'
export {
  decodeLabelQuery,
  decodeLogDeletion,
  decodeLogQuery,
  type LogDeletion,
  type LogQuery,
} from './log_query.js'
export type { Page } from './pagination.js'
export type { Selection } from './selection.js'
export type { Sort } from './sorts.js'
export { compileDelete, UnconditionalDelete } from './sql/delete_statement.js'
export { compileList, type ListRow, type ReadOptions } from './sql/list_statement.js'
export type { Reveal } from './sql/objects.js'
export { compileRecord, type RecordOptions, type RecordRow } from './sql/record_statement.js'
export type { Statement } from './sql/statement.js'
