import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from '@adonisjs/core/logger'

import type { ClientDirectory, IdentityProvider, ProviderChange } from './provider.js'

/** An event may arrive before its change is visible. */
const VISIBILITY_DELAY_MS = 1_000

/** Handlers of provider changes. One may run twice or not at all: reconciliation finds the rest. */
export interface Reactions {
  realmDeleted(id: string): Promise<unknown>
  userDeleted(id: string): Promise<unknown>
  /** The client was deleted or deactivated. */
  clientEnded?(id: string): Promise<unknown>
}

type ReactionSource = Pick<IdentityProvider, 'onChange' | 'people'> &
  Partial<Pick<IdentityProvider, 'clients'>>

/**
 * Handles provider changes until the returned function is called. Failures are logged. Deletions are verified first,
 * since any program with access to the channel can publish them. Users are handled one after the other: many are
 * deleted at once with their realm.
 */
export function reactToChanges(
  provider: ReactionSource,
  reactions: Partial<Reactions>,
  logger: Pick<Logger, 'error'>
): Promise<() => Promise<void>> {
  const react = (change: ProviderChange) =>
    reactionTo(change, provider, reactions).catch((error) => {
      const { type, event, data } = change
      logger.error(
        { err: error, type, event, id: data.id },
        'a change of identities was not processed'
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

async function reactionTo(
  { type, event, data }: ProviderChange,
  { people, clients }: ReactionSource,
  reactions: Partial<Reactions>
): Promise<void> {
  if (type === 'client' && event !== 'created' && reactions.clientEnded && clients) {
    if (await isDeleted(() => isUsable(clients, data.id))) {
      await reactions.clientEnded(data.id)
    }
  }
  if (event !== 'deleted') {
    return
  }
  if (type === 'realm' && reactions.realmDeleted) {
    if (await isDeleted(() => people!.hasRealm(data.id))) {
      await reactions.realmDeleted(data.id)
    }
  } else if (type === 'user' && reactions.userDeleted) {
    if (await isDeleted(() => people!.hasUser(data.id))) {
      await reactions.userDeleted(data.id)
    }
  }
}

async function isUsable(clients: ClientDirectory, id: string): Promise<boolean> {
  const client = await clients.read(id)
  return client !== undefined && client.active !== false
}

async function isDeleted(exists: () => Promise<boolean>): Promise<boolean> {
  if (await exists()) {
    await delay(VISIBILITY_DELAY_MS, undefined, { ref: false })
    return !(await exists())
  }
  return true
}
