/** Does something with each of many, a few at a time, and answers what came of them in their order. The first failure ends it. */
export async function someAtOnce<Item, Answer>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Answer>
): Promise<Answer[]> {
  const answers: Answer[] = []
  let next = 0
  let hasFailed = false
  const workOn = async () => {
    while (next < items.length && !hasFailed) {
      const index = next++
      answers[index] = await work(items[index]!)
    }
  }
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, () =>
    workOn().catch((error: unknown) => {
      hasFailed = true
      throw error
    })
  )
  const settled = await Promise.allSettled(workers)
  const failure = settled.find((each) => each.status === 'rejected')
  if (failure) {
    throw failure.reason
  }
  return answers
}
