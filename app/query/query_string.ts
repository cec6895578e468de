import { append, compact, merge, nest, QueryGroup, type QueryValue } from './query_tree.js'

const PARAMETER_LIMIT = 1000
/** Beyond the limit, as many parameters again are still reported. */
const WATCHED_PARAMETERS = 2 * PARAMETER_LIMIT
const DEPTH_LIMIT = 5

const OPENING = '['.charCodeAt(0)
const CLOSING = ']'.charCodeAt(0)

const NO_NAMES: ReadonlySet<string> = new Set()

export interface ParsedQueryString {
  readonly values: QueryGroup
  /** The segments of parameters that were ignored because of their names or number. */
  readonly ignored: readonly (readonly string[])[]
  /** Parameters that are not in `names`. */
  readonly foreign: ReadonlySet<string>
  /** Whether all parameters were parsed. */
  readonly isWhole: boolean
}

type Collected = Omit<ParsedQueryString, 'values'> & { readonly parameters: Iterable<Parameter> }

interface Parameter {
  readonly segments: readonly string[]
  value: QueryValue
}

/**
 * Parses the parameters in `names` of a raw query string. A bracket segment in `unsafe` drops its parameter. Runs in
 * linear time, whatever the client sends.
 */
export function parseQueryString(
  raw: string,
  names: ReadonlySet<string>,
  unsafe = NO_NAMES
): ParsedQueryString {
  const values = new QueryGroup()
  const { parameters, ...others } = collect(raw, names, unsafe)
  let numbered = false

  for (const { segments, value } of parameters) {
    const [name, ...rest] = segments as [string, ...string[]]
    const nested = nest(rest, value)
    const present = values.get(name)
    values.set(name, present === undefined ? nested : merge(present, nested))
    numbered ||= rest.some(startsWithDigit)
  }
  if (numbered) {
    compact(values)
  }
  return { values, ...others }
}

function collect(raw: string, names: ReadonlySet<string>, unsafe: ReadonlySet<string>): Collected {
  const parameters = new Map<string, Parameter>()
  const ignored: (readonly string[])[] = []
  const foreign = new Set<string>()
  const text = plainBrackets(raw)
  let start = 0
  let count = 0

  while (start <= text.length && count < WATCHED_PARAMETERS) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    const part = text.slice(start, end)
    start = end + 1

    const equals = keyEnd(part)
    const key = decodeText(equals === -1 ? part : part.slice(0, equals))
    const known = parameters.get(key)
    const segments = known?.segments ?? segmentsOf(key)
    count++
    if (!names.has(segments[0]!)) {
      if (part !== '') {
        foreign.add(key)
      }
      continue
    }
    if (count > PARAMETER_LIMIT || segments.some((segment) => unsafe.has(segment))) {
      ignored.push(segments)
      continue
    }
    const value = equals === -1 ? '' : decodeText(part.slice(equals + 1))
    if (known) {
      known.value = append(known.value, value)
    } else {
      parameters.set(key, { segments, value })
    }
  }
  const isWhole = start > text.length
  return { parameters: parameters.values(), ignored, foreign, isWhole }
}

function plainBrackets(raw: string): string {
  return raw.includes('%5') ? raw.replace(/%5B/gi, '[').replace(/%5D/gi, ']') : raw
}

function keyEnd(part: string): number {
  const equals = part.indexOf('=')
  const bracket = part.indexOf('[')
  if (bracket === -1 || bracket > equals) {
    return equals
  }
  const closing = part.indexOf(']=', bracket)
  return closing === -1 ? equals : closing + 1
}

function decodeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) {
    return spaced
  }
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

/** `a[b][c]` is a, b, c. Segments that are nested too deep or not closed stay literal. */
function segmentsOf(key: string): string[] {
  let open = key.indexOf('[')
  if (open === -1) {
    return [key]
  }

  const segments = open === 0 ? [] : [key.slice(0, open)]
  for (let depth = 0; open !== -1 && depth < DEPTH_LIMIT; depth++) {
    const close = closingBracket(key, open)
    if (close === -1) {
      break
    }
    segments.push(key.slice(open + 1, close))
    open = key.indexOf('[', close + 1)
  }
  if (open !== -1) {
    segments.push(key.slice(open))
  }
  return segments
}

function closingBracket(key: string, open: number): number {
  let level = 0
  for (let at = open; at < key.length; at++) {
    const character = key.charCodeAt(at)
    if (character === OPENING) {
      level++
    } else if (character === CLOSING && --level === 0) {
      return at
    }
  }
  return -1
}

function startsWithDigit(segment: string): boolean {
  return segment >= '0' && segment < ':'
}
