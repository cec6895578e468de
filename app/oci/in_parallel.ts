/** Does something for each item, so many at once. After a failure nothing more is begun, and what runs is waited for. */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  action: (item: T) => Promise<void>
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const failures: unknown[] = []
  const work = async () => {
    for (let next = rest.next(); !next.done && failures.length === 0; next = rest.next()) {
      await action(next.value).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (failures.length > 0) {
    throw failures[0]
  }
}
