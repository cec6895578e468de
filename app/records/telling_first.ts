import type pg from 'pg'

interface Held {
  readonly id: string
  readonly others: (() => Promise<void>)[]
}

const held = new WeakMap<pg.ClientBase, Held>()

/**
 * Does work that makes a record and others with it, of which everybody hears after the record itself, in whatever order the
 * database needs them.
 */
export async function tellingFirst<T>(
  transaction: pg.ClientBase,
  id: string,
  work: () => Promise<T>
): Promise<T> {
  held.set(transaction, { id, others: [] })
  try {
    return await work()
  } finally {
    held.delete(transaction)
  }
}

/** Tells of a record now, or once the one was told of that it is made with. */
export async function tellInTurn(
  transaction: pg.ClientBase,
  id: string,
  tell: () => Promise<void>
): Promise<void> {
  const waiting = held.get(transaction)
  if (waiting && waiting.id !== id) {
    waiting.others.push(tell)
    return
  }
  await tell()
  if (waiting) {
    held.delete(transaction)
    for (const other of waiting.others) {
      await other()
    }
  }
}
