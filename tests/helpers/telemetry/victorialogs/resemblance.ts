import { parseLogsql, NotSpoken, type Node, type Pipe, type Query } from './logsql_parser.js'

/** A request, as it was recorded or as it comes in. */
export interface SeenRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>
}

/** Not among the recordings and tried all the same: what is known of the server has it in words, or it was tried with 1.52. */
const KNOWN_BESIDE = ['sort:offset', 'count:by time']

/**
 * What a request is like: its way, its arguments, and the forms its query has. One resembles the recordings where each of these
 * is in one of them.
 */
export function traitsOf({ method, path, headers = {} }: SeenRequest): string[] {
  const url = new URL(path, 'http://server')
  const encoding = headerOf(headers, 'content-encoding')
  const type = headerOf(headers, 'content-type')
  return [
    `${method} ${url.pathname}`,
    ...[...url.searchParams.keys()].map((name) => `${url.pathname}?${name}`),
    ...(encoding ? [`encoding ${encoding}`] : []),
    ...(type ? [`${url.pathname} takes ${type.split(';')[0]}`] : []),
    ...queryTraits(url.searchParams.get('query')),
  ]
}

export class Resemblance {
  readonly #known: ReadonlySet<string>

  constructor(recorded: readonly (SeenRequest & { readonly status: number })[]) {
    const answered = recorded.filter(({ status }) => status === 200 || status === 405)
    this.#known = new Set([...answered.flatMap(recordedTraits), ...KNOWN_BESIDE])
  }

  /** What the request has that no recording has. */
  strangeIn(request: SeenRequest): string[] {
    return traitsOf(request).filter((trait) => !this.#known.has(trait))
  }
}

function recordedTraits(request: SeenRequest): string[] {
  try {
    return traitsOf(request)
  } catch (error) {
    if (error instanceof NotSpoken) {
      return []
    }
    throw error
  }
}

function queryTraits(text: string | null): string[] {
  return text === null ? [] : formsOf(parseLogsql(text))
}

/** Every kind of part with the kind it stands in, and every kind of pipe with the one before. */
export function formsOf({ filter, pipes }: Query): string[] {
  const sequence = ['filter', ...pipes.map(({ kind }) => kind)]
  return [
    ...nodeForms(filter),
    ...pipes.flatMap(pipeForms),
    ...pipes.map((_, index) => `${sequence[index]} | ${sequence[index + 1]}`),
  ]
}

function nodeForms(node: Node): string[] {
  switch (node.kind) {
    case 'and':
    case 'or':
      return [node.kind, ...node.parts.flatMap(nodeForms)]
    case 'not':
      return ['not', ...nodeForms(node.part)]
    case 'time':
      return [`time ${node.op}${node.closing ?? ''}`]
    case 'in':
      return [node.values.length === 0 ? 'in nothing' : 'in']
    default:
      return [node.kind]
  }
}

function pipeForms(pipe: Pipe): string[] {
  if (pipe.kind === 'count' && pipe.step !== undefined) {
    return ['count:by time']
  }
  if (pipe.kind !== 'sort') {
    return []
  }
  return [
    ...pipe.by.map(({ isDescending }) => (isDescending ? 'sort:descending' : 'sort:ascending')),
    ...(pipe.by.length > 1 ? ['sort:by several'] : []),
    ...(pipe.offset === undefined ? [] : ['sort:offset']),
    ...(pipe.limit === undefined ? [] : ['sort:limit']),
  ]
}

function headerOf(headers: NonNullable<SeenRequest['headers']>, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? []
  return Array.isArray(value) ? value[0] : value
}
