import { isTransactionOpen } from '#records/transaction_scope'

/** A programming error: locks would last until the provider responds. */
export class CalledInTransaction extends Error {
  static readonly code = 'E_CALLED_IN_TRANSACTION'
  readonly code = CalledInTransaction.code

  constructor(method: string) {
    super(
      `The identity provider's ${method} was called while a transaction was open; call it before or after`
    )
  }
}

/** A proxy of a provider, or part of one, that rejects calls within an open transaction. */
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
