import { isTransactionOpen } from '#records/transaction_scope'

/** A mistake in the program: locks would be held for as long as the provider takes, or for as long as it is away. */
export class CalledInTransaction extends Error {
  static readonly code = 'E_CALLED_IN_TRANSACTION'
  readonly code = CalledInTransaction.code

  constructor(method: string) {
    super(
      `The identity provider's ${method} was called while a transaction was open; call it before or after`
    )
  }
}

/**
 * The same provider, or part of one, with every call refused while the caller holds a transaction open.
 */
export function outsideTransactions<Target extends object>(target: Target): Target {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name)
      if (typeof value === 'function') {
        return guarded(target, value, String(name))
      }
      return typeof value === 'object' && value !== null ? outsideTransactions(value) : value
    },
  })
}

function guarded(target: object, method: Function, name: string) {
  return (...parameters: unknown[]) => {
    if (isTransactionOpen()) {
      throw new CalledInTransaction(name)
    }
    return method.apply(target, parameters)
  }
}
