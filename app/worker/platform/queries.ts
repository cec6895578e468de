const PAGE = 50

/**
 * Queries as workers have always sent them, so that every platform that served one serves this one: filters are written like
 * functions, with all values as texts.
 */
export function queryOf(parts: Readonly<Record<string, string>> = {}): string {
  return new URLSearchParams({ ...parts, codec: 'url-expression' }).toString()
}

export function equal(attribute: string, value: string): string {
  return `eq(${attribute},${quote(value)})`
}

export function both(one: string, other: string): string {
  return `and(${one},${other})`
}

export function among(attribute: string, values: readonly string[]): string {
  return `in(${[attribute, ...values.map(quote)].join(',')})`
}

/** The part of a list that begins at an offset. */
export function pageAt(offset: number): Record<string, string> {
  return { 'page[limit]': String(PAGE), ...(offset > 0 && { 'page[offset]': String(offset) }) }
}

/** Ids and words of our own only: nothing that would have to be masked. */
function quote(value: string): string {
  if (!/^[\w-]+$/.test(value)) {
    throw new Error('Only ids and words are asked for')
  }
  return `'${value}'`
}

export { PAGE }
