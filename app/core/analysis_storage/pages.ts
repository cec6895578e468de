import { FIRST_ID } from './inventory.js'

/** All records by their ids, so many at a time: the next ones are those behind the last one that was read. */
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
