/** The syntax tree of a query string. */
export type QueryValue = string | QueryList | QueryGroup

export type QueryList = QueryValue[]

/** Named values in the order of the query string. */
export class QueryGroup extends Map<string, QueryValue> {
  /** The next free index, if this is a list that exceeded its limit. */
  next: number | undefined
}

/** The maximum length of a list; a longer one becomes a group keyed by position. */
const LIST_LIMIT = 20

/** Wraps a value in groups and lists as its bracket segments state. */
export function nest(segments: readonly string[], value: QueryValue): QueryValue {
  let nested = value
  for (let at = segments.length - 1; at >= 0; at--) {
    nested = wrap(segments[at]!, nested)
  }
  return nested
}

function wrap(segment: string, value: QueryValue): QueryValue {
  if (segment === '') {
    return isOverflow(value) ? value : listOf(value)
  }
  const index = indexOf(segment)
  if (index !== undefined && index < LIST_LIMIT) {
    const list: QueryList = []
    list[index] = value
    return list
  }
  const group = new QueryGroup([[segment, value]])
  if (index !== undefined) {
    group.next = index + 1
  }
  return group
}

/** Merges two values of the same name. May modify `target`. */
export function merge(target: QueryValue, source: QueryValue): QueryValue {
  if (source === '') {
    return target
  }
  if (typeof source === 'string') {
    return append(target, source)
  }
  if (typeof target === 'string') {
    return prepend(target, source)
  }
  if (Array.isArray(target) && Array.isArray(source)) {
    return mergeLists(target, source)
  }

  const group = Array.isArray(target) ? groupOf(target) : target
  const next = Array.isArray(source) ? undefined : source.next
  for (const [name, value] of Array.isArray(source) ? groupOf(source) : source) {
    const present = group.get(name)
    group.set(name, present === undefined ? value : merge(present, value))
  }
  if (next !== undefined) {
    group.next = Math.max(group.next ?? 0, next)
  }
  return group
}

/** Appends a repeated value: a list, until it is too long. */
export function append(target: QueryValue, value: string): QueryValue {
  if (typeof target === 'string') {
    return [target, value]
  }
  if (Array.isArray(target)) {
    return limited([...target, value])
  }
  if (target.next === undefined) {
    return [target, value]
  }
  target.set(String(target.next++), value)
  return target
}

function prepend(value: string, source: QueryList | QueryGroup): QueryValue {
  if (!isOverflow(source)) {
    return limited([value, ...listOf(source)])
  }
  const group = new QueryGroup([['0', value]])
  for (const [name, item] of source) {
    group.set(String(Number.parseInt(name) + 1), item)
  }
  group.next = source.next! + 1
  return group
}

function mergeLists(target: QueryList, source: QueryList): QueryValue {
  const items = [...source.entries()].filter(([, item]) => item !== undefined)
  for (const [index, item] of items) {
    const present = target[index]
    if (present === undefined) {
      target[index] = item
    } else if (typeof present === 'string' || typeof item === 'string') {
      target.push(item)
    } else {
      target[index] = merge(present, item)
    }
  }
  return limited(target)
}

/** Removes the gaps of numbered items at every level. */
export function compact(value: QueryValue): QueryValue {
  if (typeof value === 'string') {
    return value
  }
  if (Array.isArray(value)) {
    return value.filter((item) => item !== undefined).map(compact)
  }
  for (const [name, item] of value) {
    value.set(name, compact(item))
  }
  return value
}

/** The strings of a list; undefined if it has other items. */
export function textsOf(list: QueryList): string[] | undefined {
  return list.every((item) => typeof item === 'string') ? list : undefined
}

function limited(list: QueryList): QueryList | QueryGroup {
  if (list.length <= LIST_LIMIT) {
    return list
  }
  const group = groupOf(list)
  group.next = list.length
  return group
}

function groupOf(list: QueryList): QueryGroup {
  const group = new QueryGroup()
  for (const [index, item] of list.entries()) {
    if (item !== undefined) {
      group.set(String(index), item)
    }
  }
  return group
}

function listOf(value: QueryValue): QueryList {
  return Array.isArray(value) ? value : [value]
}

function isOverflow(value: QueryValue): value is QueryGroup {
  return value instanceof QueryGroup && value.next !== undefined
}

function indexOf(segment: string): number | undefined {
  const index = Number.parseInt(segment)
  return index >= 0 && String(index) === segment ? index : undefined
}
