import type { Logger } from '@adonisjs/core/logger'

import type { IdentityProvider, ProviderChange } from '#identity/provider'

/** What follows from changes at the provider. A reaction may come twice, or never: reconciliation finds the rest. */
export interface Reactions {
  realmDeleted(id: string): Promise<unknown>
  userDeleted(id: string): Promise<unknown>
  clientWritten(client: ProviderChange['data']): Promise<unknown>
}

/**
 * Reacts to what the provider tells until the returned function is called. A reaction that fails is logged.
 */
export function reactTo(
  provider: Pick<IdentityProvider, 'onChange'>,
  reactions: Reactions,
  logger: Pick<Logger, 'error'>
): Promise<() => Promise<void>> {
  return provider.onChange((change) => {
    reactionTo(change, reactions).catch((error) => {
      const { type, event, data } = change
      logger.error(
        { err: error, type, event, id: data.id },
        'a change of identities was not followed'
      )
    })
  })
}

async function reactionTo({ type, event, data }: ProviderChange, reactions: Reactions) {
  if (type === 'client' && event !== 'deleted') {
    await reactions.clientWritten(data)
  } else if (type === 'realm' && event === 'deleted') {
    await reactions.realmDeleted(data.id)
  } else if (type === 'user' && event === 'deleted') {
    await reactions.userDeleted(data.id)
  }
}
