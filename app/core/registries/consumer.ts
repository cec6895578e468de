import vine from '@vinejs/vine'

import { defineConsumer, type Handling, type OutwardHandler } from '#bus/consumer'
import { contentOf } from '#bus/content_of'
import type { Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { serviceOrigin } from '#auth/service_origin'
import { body, type BodyValidator } from '#kernel/body'
import { inTransaction } from '#records/transaction'

import { beginRemoval, completeRemovals } from './registry_removal.js'
import { hookBody } from './hook_body.js'
import { countHook } from './hooks.js'
import type { Place } from './registry_links.js'
import { robotSecret } from './robot_secret.js'
import { setUp } from './setup.js'
import { findOrphans } from './orphans.js'
import { corePool, linkKeeper, registryLinks } from './work.js'

const id = () => vine.string().uuid()
const text = (most: number) => vine.string().maxLength(most)

const ofRegistry = body({ id: id() })
const ofProject = body({ id: id(), secret: robotSecret().nullable().optional() })
const ofName = body({
  id: id().nullable().optional(),
  registryId: id(),
  externalName: text(64),
  accountId: text(64).nullable().optional(),
})

/**
 * Does in registries what the records want done there. A command writes down what is wanted and tries it once; a registry that
 * does not do it holds up no other command, and is tried again by a sweep.
 */
export const registryConsumer = defineConsumer({
  queue: COMMAND_QUEUES.registry,
  surface: 'core',
  prefetch: 10,
  recordOf: ({ id: messageId, type, data: { id: subject, registryId, externalName } }) =>
    type === 'HOOK_PROCESS' ? messageId : String(subject ?? `${registryId}/${externalName}`),
  handlers: {
    SETUP: { outside: setUpRegistry },
    CLEANUP: doing(ofRegistry, async (registry) => keepAll(await findOrphans(registry.id))),
    DELETE: doing(ofRegistry, leaveRegistry),
    PROJECT_LINK: doing(ofProject, link),
    PROJECT_UNLINK: doing(ofName, unlink),
    PROJECT_RELINK: doing(ofName, relink),
    HOOK_PROCESS: hearOf,
  },
})

/** What is done outside of any transaction, and again where the process ends before the message is noted. */
function doing<Data>(
  data: BodyValidator<Data>,
  work: (content: Data) => Promise<void>
): OutwardHandler {
  return {
    async outside(message) {
      await work(await contentOf(message, data))
      return async () => {}
    },
  }
}

async function setUpRegistry(message: Message) {
  const { id: registryId } = await contentOf(message, ofRegistry)
  const origin = await serviceOrigin()
  const keeper = await linkKeeper()
  await keeper.prove(registryId)
  return (transaction: Handling['transaction']) => setUp(transaction, origin, registryId)
}

async function leaveRegistry(registry: { id: string }): Promise<void> {
  await keepAll(await beginRemoval(registry.id))
  await completeRemovals()
}

interface NamedProject {
  id?: string | null
  registryId: string
  externalName: string
  accountId?: string | null
}

async function link({ id: projectId, secret }: { id: string; secret?: string | null }) {
  const place = await inTransaction(corePool(), (transaction) =>
    registryLinks().want(transaction, projectId, secret)
  )
  await keepAll(place ? [place] : [])
}

async function unlink({ id: projectId, accountId, ...place }: NamedProject): Promise<void> {
  await inTransaction(corePool(), (transaction) =>
    registryLinks().part(transaction, place, { projectId, accountId })
  )
  await keepAll([place])
}

/** What has the same name as before is mended where it is: to remove it first would lose what is in it. */
async function relink(project: NamedProject): Promise<void> {
  const { id: projectId, accountId, registryId, externalName } = project
  const former = { registryId, externalName }
  const place = await inTransaction(corePool(), async (transaction) => {
    await registryLinks().part(transaction, former, { projectId, accountId })
    return projectId ? registryLinks().want(transaction, projectId) : undefined
  })
  await keepAll(place ? [former, place] : [former])
}

async function keepAll(places: readonly Place[]): Promise<void> {
  const keeper = await linkKeeper()
  for (const place of places) {
    await keeper.keep(place)
  }
}

async function hearOf({ message }: Handling): Promise<void> {
  const { type } = await contentOf(message, hookBody)
  countHook(type)
}
