/** One reason of a failure as clients read it: a single issue, or a group of issues about one attribute. */
export interface IssueItem {
  type: 'item'
  code: string
  path: readonly string[]
  message: string
  meta: Record<string, unknown>
  data?: Record<string, unknown>
  expected?: string
  received?: unknown
}

interface IssueGroup {
  type: 'group'
  path: readonly string[]
  message: string
  issues: readonly Issue[]
  meta: Record<string, unknown>
  code?: string
}

export type Issue = IssueItem | IssueGroup

/** Builds a single issue; `meta` is always present. */
export function issue(
  code: string,
  path: readonly string[],
  message: string,
  extra: Partial<Pick<IssueItem, 'meta' | 'data' | 'expected' | 'received'>> = {}
): IssueItem {
  return { type: 'item', code, path, message, ...extra, meta: extra.meta ?? {} }
}
