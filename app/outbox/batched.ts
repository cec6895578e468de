interface PendingBatch<Item> {
  readonly items: readonly Item[]
  resolve(): void
  reject(error: unknown): void
}

/**
 * Combines the calls of one turn of the event loop into one, in order, for receivers where a call with many items costs
 * little more than a call with one.
 */
export function batched<Item>(
  send: (items: readonly Item[]) => Promise<void>
): (items: readonly Item[]) => Promise<void> {
  let waiting: PendingBatch<Item>[] = []

  const sendAll = () => {
    const batch = waiting
    waiting = []
    send(batch.flatMap(({ items }) => items)).then(
      () => batch.forEach(({ resolve }) => resolve()),
      (error) => batch.forEach(({ reject }) => reject(error))
    )
  }

  return (items) =>
    new Promise<void>((resolve, reject) => {
      if (waiting.push({ items, resolve, reject }) === 1) {
        setImmediate(sendAll)
      }
    })
}
