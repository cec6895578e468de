import { segmentsOf, withoutOwnName } from './key_path.js'
import { QueryGroup, type QueryValue } from './query_tree.js'

/** A requested field: explicit, added to the defaults, or removed from them. */
export interface FieldToken {
  readonly sign: '' | '+' | '-'
  readonly name: string
}

/** The requested fields of one relation path. */
export interface FieldGroup {
  readonly path: readonly string[]
  readonly tokens: FieldToken[]
}

/** Aliases of the record itself. The name of its kind takes precedence. */
const ROOT_NAMES = ['$root', '__DEFAULT__']

/** Groups the tokens of `fields` by relation path, parents first; the record itself has the empty path. */
export function groupFields(fields: QueryValue | undefined, kind: string): Map<string, FieldGroup> {
  const groups = new Map<string, FieldGroup>([['', { path: [], tokens: [] }]])
  if (fields instanceof QueryGroup) {
    for (const [name, value] of withOneRoot(fields, kind)) {
      const path = name === '' ? [] : segmentsOf('fields', name)
      collect(groups, kind, value, path)
    }
  } else if (fields !== undefined) {
    collect(groups, kind, fields, [])
  }
  return groups
}

/** Selects the group of the record itself by precedence and stores it under the empty name. */
function withOneRoot(fields: QueryGroup, kind: string): Iterable<[string, QueryValue]> {
  const roots = [kind, ...ROOT_NAMES]
  const root = roots.find((name) => fields.has(name))
  const others = [...fields].filter(([name]) => !roots.includes(name))
  return root === undefined ? others : [['', fields.get(root)!], ...others]
}

function collect(
  groups: Map<string, FieldGroup>,
  kind: string,
  value: QueryValue,
  path: string[]
): void {
  groupAt(groups, path)
  if (value instanceof QueryGroup) {
    for (const [name, nested] of value) {
      collect(groups, kind, nested, [...path, ...segmentsOf('fields', name)])
    }
    return
  }
  for (const text of typeof value === 'string' ? value.split(',') : value) {
    if (typeof text !== 'string' || text === '') {
      continue
    }
    const sign = text.startsWith('+') || text.startsWith('-') ? (text[0] as '+' | '-') : ''
    const segments = [...path, ...segmentsOf('fields', text.slice(sign.length))]
    const own = withoutOwnName(kind, segments)
    groupAt(groups, own.slice(0, -1)).tokens.push({ sign, name: own.at(-1)! })
  }
}

function groupAt(groups: Map<string, FieldGroup>, path: readonly string[]): FieldGroup {
  for (let depth = 1; depth <= path.length; depth++) {
    const leading = path.slice(0, depth)
    const key = leading.join('.')
    if (!groups.has(key)) {
      groups.set(key, { path: leading, tokens: [] })
    }
  }
  return groups.get(path.join('.'))!
}
