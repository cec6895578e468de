const MAX_OFFSET = 1_000_000

/** The offset of a page of a list in its URL; 0 for invalid values. */
export function offsetOf(query: URLSearchParams): number {
  const offset = Number(query.get('offset') ?? 0)
  return Number.isInteger(offset) && offset > 0 ? Math.min(offset, MAX_OFFSET) : 0
}

/** The search text of a list. */
export const searchTextOf = (query: URLSearchParams): string =>
  (query.get('name') ?? '').trim().slice(0, 128)

/** A URL with the values that are set. */
export function addressWith(
  path: string,
  values: Readonly<Record<string, string | number>>
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== '' && value !== 0) {
      query.set(name, String(value))
    }
  }
  return query.size === 0 ? path : `${path}?${query}`
}

/** A text as a value of a filter. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The filter of records that meet all conditions; undefined without conditions. */
export function allOf(conditions: readonly (string | undefined)[]): string | undefined {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length > 1 ? `and(${given.join()})` : given[0]
}

/** The filter of core for records whose name or displayed name contains a text. */
export const nameFilter = (text: string): string =>
  `or(contains(name,${quoted(text)}),contains(displayName,${quoted(text)}))`
