import { FIRST_ID } from './inventory.js'

/** Reads all records in pages sorted by id (keyset pagination). */
export async function* pagesById<T extends { readonly id: string }>(
  size: number,
  readAfter: (id: string) => Promise<readonly T[]>
): AsyncGenerator<readonly T[]> {
  for (let after = FIRST_ID; ;) {
    const page = await readAfter(after)
    yield page
    if (page.length < size) {
      return
    }
    after = page.at(-1)!.id
  }
}
