import { segmentsOf, withoutOwnName } from './key_path.js'
import { QueryGroup, type QueryValue } from './query_tree.js'

/** A field as it was asked for: alone, added to the defaults, or taken away from them. */
export interface FieldToken {
  readonly sign: '' | '+' | '-'
  readonly name: string
}

/** What is asked for along one relation path. */
export interface FieldGroup {
  readonly path: readonly string[]
  readonly tokens: FieldToken[]
}

/** What the record itself can be called beside the name of its kind, which is the strongest. */
const ROOT_NAMES = ['$root', '__DEFAULT__']

/**
 * Sorts the tokens of `fields` by the relation path they belong to. Each path comes after the paths
 * that lead to it; the record itself has the empty one.
 */
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

/** Keeps the strongest of the groups that mean the record itself, under the empty name. */
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
