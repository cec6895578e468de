import { UsageProblem } from '#hubctl/problem'

/** Options of a list. */
export interface ListOptions {
  readonly filter?: readonly string[]
  readonly sort?: readonly string[]
  readonly fields?: readonly string[]
  readonly include?: readonly string[]
}

/** The query parameters of a list. */
export function listQuery({ filter = [], sort, fields, include }: ListOptions): [string, string][] {
  return [
    ...filter.map(parseFilter),
    ...(sort ? [['sort', sort.join()] as [string, string]] : []),
    ...shapeQuery({ fields, include }),
  ]
}

/** The query parameters that select attributes and relations. */
export function shapeQuery({ fields, include }: Pick<ListOptions, 'fields' | 'include'>) {
  const query: [string, string][] = []
  if (fields) {
    query.push(['fields', fields.join()])
  }
  if (include) {
    query.push(['include', include.join()])
  }
  return query
}

/** Parses `key=value`, whose value may have an operator (`!x`, `~x~`, `>5`), or an expression: `eq(name,'x')`. */
function parseFilter(text: string): [string, string] {
  if (/^[a-zA-Z]+\(.*\)$/s.test(text)) {
    return ['filter', text]
  }
  const separator = text.indexOf('=')
  if (separator < 1) {
    throw new UsageProblem(
      `"${text}" is not a filter.`,
      'A filter is key=value, or an expression: --filter name=~north~ --filter "eq(name,\'north\')"'
    )
  }
  return [`filter[${text.slice(0, separator)}]`, text.slice(separator + 1)]
}
