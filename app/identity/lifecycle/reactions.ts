import type { Logger } from '@adonisjs/core/logger'

import type { IdentityProvider, ProviderChange } from '#identity/provider'

/** What follows from changes at the provider. A reaction may come twice, or never: reconciliation finds the rest. */
export interface Reactions {
  realmDeleted(id: string): Promise<unknown>
  userDeleted(id: string): Promise<unknown>
  clientWritten(client: ProviderChange['data']): Promise<unknown>
}

/**
 * Reacts to what the provider tells until the returned function is called. A reaction that fails is logged. Users are let go of
 * one after the other: many go at once where their realm does.
 */
export function reactTo(
  provider: Pick<IdentityProvider, 'onChange'>,
  reactions: Partial<Reactions>,
  logger: Pick<Logger, 'error'>
): Promise<() => Promise<void>> {
  const react = (change: ProviderChange) =>
    reactionTo(change, reactions).catch((error) => {
      const { type, event, data } = change
      logger.error(
        { err: error, type, event, id: data.id },
        'a change of identities was not followed'
      )
    })
  let users: Promise<unknown> = Promise.resolve()
  return provider.onChange((change) => {
    if (change.type === 'user') {
      users = users.then(() => react(change))
    } else {
      void react(change)
    }
  })
}

async function reactionTo({ type, event, data }: ProviderChange, reactions: Partial<Reactions>) {
  if (type === 'client' && event !== 'deleted') {
    await reactions.clientWritten?.(data)
  } else if (type === 'realm' && event === 'deleted') {
    await reactions.realmDeleted?.(data.id)
  } else if (type === 'user' && event === 'deleted') {
    await reactions.userDeleted?.(data.id)
  }
}
