export type QueryParameter = 'relations' | 'fields' | 'filters' | 'pagination' | 'sorts'

export type IssueCode =
  | 'inputInvalid'
  | 'syntaxInvalid'
  | 'keyInvalid'
  | 'keyNotAllowed'
  | 'keyPathInvalid'
  | 'keyPathNotAllowed'
  | 'keyValueInvalid'
  | 'keyCombinationNotIndexed'
  | 'operatorUnsupported'

/** A key that was ignored. */
export interface DroppedKey {
  readonly parameter: QueryParameter
  /** As sent by the client; empty if the whole parameter was ignored. */
  readonly key: string
  readonly reason: IssueCode
}

export interface QueryIssue {
  readonly type: 'item'
  readonly code: IssueCode
  readonly path: readonly string[]
  readonly message: string
  readonly meta: { readonly parameter: QueryParameter; readonly key?: string }
  readonly received?: readonly string[]
}

const MESSAGES: Record<IssueCode, string> = {
  inputInvalid: 'The parameter does not have a shape that can be read.',
  syntaxInvalid: 'The filter expression breaks the grammar.',
  keyInvalid: 'The key is not a name that can be used here.',
  keyNotAllowed: 'The key is not offered here; meta.schema lists the keys that are.',
  keyPathInvalid: 'The path leads through a relation that does not exist.',
  keyPathNotAllowed: 'The path leads through a relation that the include parameter leaves out.',
  keyValueInvalid: 'The value cannot be used with this key.',
  keyCombinationNotIndexed:
    'No index serves these keys; meta.schema.indexes lists what can lead a query.',
  operatorUnsupported: 'The operator cannot be applied to a key of this type.',
}

export interface IssueDetail {
  readonly path?: readonly string[]
  readonly key?: string
  readonly received?: readonly string[]
}

/** Creates an issue of the query language. */
export function issue(
  parameter: QueryParameter,
  code: IssueCode,
  { path = [], key, received }: IssueDetail = {}
): QueryIssue {
  return {
    type: 'item',
    code,
    path,
    message: MESSAGES[code],
    meta: key === undefined ? { parameter } : { parameter, key },
    ...(received && { received }),
  }
}

function countOf(violations: number): string {
  return violations === 1 ? '1 violation' : `${violations} violations`
}

/** An invalid query. The message counts the violations, the issues list them. */
export class QueryError extends Error {
  static readonly status = 400
  static readonly code = 'bad_request'

  readonly status = QueryError.status
  readonly code = QueryError.code
  readonly issues: readonly QueryIssue[]
  /** The ignored keys, in addition to the issues. */
  readonly dropped: readonly DroppedKey[]

  constructor(
    issues: readonly QueryIssue[],
    message = countOf(Math.max(issues.length, 1)),
    dropped: readonly DroppedKey[] = []
  ) {
    super(message)
    this.name = 'QueryError'
    this.issues = issues
    this.dropped = dropped
  }
}
