/** As many as one request may name. */
const IDS_AT_ONCE = 50

/** Reads what there is for many ids, with as many requests as they need. */
export async function readByIds<T>(
  ids: readonly string[],
  read: (some: readonly string[]) => Promise<readonly T[]>
): Promise<T[]> {
  const found: T[] = []
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    found.push(...(await read(ids.slice(start, start + IDS_AT_ONCE))))
  }
  return found
}
