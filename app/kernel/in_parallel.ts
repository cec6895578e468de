/**
 * Does something for each item, so many at once, and answers what came of them in their order. After a failure nothing more is begun, and
 * what runs is waited for.
 */
export async function inParallel<Item, Answer>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Answer>
): Promise<Answer[]> {
  const rest = [...items].entries()
  const answers: Answer[] = []
  const failures: unknown[] = []
  const workOn = async () => {
    for (let next = rest.next(); !next.done && failures.length === 0; next = rest.next()) {
      const [index, item] = next.value
      try {
        answers[index] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, workOn))
  if (failures.length > 0) {
    throw failures[0]
  }
  return answers
}
