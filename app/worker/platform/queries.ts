const PAGE = 50

/** Builds queries with the function-style filters that all platforms support. */
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

/** Pagination parameters for an offset. */
export function pageAt(offset: number): Record<string, string> {
  return { 'page[limit]': String(PAGE), ...(offset > 0 && { 'page[offset]': String(offset) }) }
}

/** Accepts only IDs and words, which need no escaping. */
function quote(value: string): string {
  if (!/^[\w-]+$/.test(value)) {
    throw new Error('Only IDs and words are supported in filters')
  }
  return `'${value}'`
}

export { PAGE }
