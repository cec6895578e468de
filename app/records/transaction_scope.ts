import { AsyncLocalStorage } from 'node:async_hooks'

const transactions = new AsyncLocalStorage<{ isOpen: boolean }>()

/**
 * Runs work that holds a transaction open, so that what is called from it can tell. What it only set off, and what happens
 * after the transaction, is not in it any more.
 */
export async function inTransactionScope<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { isOpen: true }
  try {
    return await transactions.run(transaction, work)
  } finally {
    transaction.isOpen = false
  }
}

/** Whether the caller holds a transaction open. */
export function isTransactionOpen(): boolean {
  return transactions.getStore()?.isOpen === true
}
