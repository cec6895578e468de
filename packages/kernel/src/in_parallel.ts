/**
 * Runs `work` for each item with limited concurrency; returns the results in the order of the items. After a failure no
 * further item is started, and running work is awaited.
 */
export async function inParallel<Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>
): Promise<Result[]> {
  const rest = [...items].entries()
  const results: Result[] = []
  const failures: unknown[] = []
  const workOn = async () => {
    for (let next = rest.next(); !next.done && failures.length === 0; next = rest.next()) {
      const [index, item] = next.value
      try {
        results[index] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, workOn))
  if (failures.length > 0) {
    throw failures[0]
  }
  return results
}
