import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from '@adonisjs/core/logger'

import type { IdentityProvider, ProviderChange } from '#identity/provider'

/** A change may be told of before it can be seen. */
const SEEN_AFTER_MS = 1_000

/** What follows from changes at the provider. A reaction may come twice, or never: reconciliation finds the rest. */
export interface Reactions {
  realmDeleted(id: string): Promise<unknown>
  userDeleted(id: string): Promise<unknown>
  clientWritten(client: ProviderChange['data']): Promise<unknown>
}

/**
 * Reacts to what the provider tells until the returned function is called. A reaction that fails is logged. Who is said
 * to be gone is asked for before anything is removed: whoever reaches the channel could say so.
 */
export function reactTo(
  provider: Pick<IdentityProvider, 'onChange' | 'people'>,
  reactions: Reactions,
  logger: Pick<Logger, 'error'>
): Promise<() => Promise<void>> {
  return provider.onChange((change) => {
    reactionTo(change, provider, reactions).catch((error) => {
      const { type, event, data } = change
      logger.error(
        { err: error, type, event, id: data.id },
        'a change of identities was not followed'
      )
    })
  })
}

async function reactionTo(
  { type, event, data }: ProviderChange,
  { people }: Pick<IdentityProvider, 'people'>,
  reactions: Reactions
) {
  if (type === 'client' && event !== 'deleted') {
    await reactions.clientWritten(data)
  } else if (
    type === 'realm' &&
    event === 'deleted' &&
    (await isGone(() => people!.hasRealm(data.id)))
  ) {
    await reactions.realmDeleted(data.id)
  } else if (
    type === 'user' &&
    event === 'deleted' &&
    (await isGone(() => people!.hasUser(data.id)))
  ) {
    await reactions.userDeleted(data.id)
  }
}

async function isGone(isThere: () => Promise<boolean>): Promise<boolean> {
  if (await isThere()) {
    await delay(SEEN_AFTER_MS, undefined, { ref: false })
    return !(await isThere())
  }
  return true
}
