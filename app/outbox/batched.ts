interface PendingBatch<Item> {
  readonly items: readonly Item[]
  resolve(): void
  reject(error: unknown): void
}

/**
 * Sends what is handed in at the same moment together and in that order, where one call for many costs little more than one
 * for one.
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
