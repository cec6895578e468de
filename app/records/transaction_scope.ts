import { AsyncLocalStorage } from 'node:async_hooks'

const transactions = new AsyncLocalStorage<{ isOpen: boolean }>()

/**
 * Marks `work` as running inside a transaction. Code that it starts without awaiting, and code after the transaction,
 * is outside.
 */
export async function inTransactionScope<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { isOpen: true }
  try {
    return await transactions.run(transaction, work)
  } finally {
    transaction.isOpen = false
  }
}

/** Whether the caller runs inside an open transaction. */
export function isTransactionOpen(): boolean {
  return transactions.getStore()?.isOpen === true
}
