import app from '@adonisjs/core/services/app'
import vine from '@vinejs/vine'

import { defineConsumer, type Handling, type OutwardHandler } from '#bus/consumer'
import { contentOf } from '#bus/content_of'
import type { Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { body, type BodyValidator } from '#kernel/body'
import { afterCommit } from '#records/transaction'

import { hookBody } from './hook_body.js'
import { countHook } from './hooks.js'
import { RegistryWork } from './registry_work.js'
import { robotSecret } from './robot_secret.js'

const uuid = () => vine.string().uuid()
const text = (most: number) => vine.string().maxLength(most)

const ofRegistry = body({ id: uuid() })
const ofProject = body({ id: uuid(), secret: robotSecret().nullable().optional() })
const ofName = body({
  id: uuid().nullable().optional(),
  registryId: uuid(),
  externalName: text(64),
  accountId: text(64).nullable().optional(),
})

/**
 * Has done in registries what the records want done there. A registry that does not do it holds up no other command.
 */
export const registryConsumer = defineConsumer({
  queue: COMMAND_QUEUES.registry,
  surface: 'core',
  prefetch: 10,
  recordOf: ({ id: messageId, type, data: { id: subject, registryId, externalName } }) =>
    type === 'HOOK_PROCESS' ? messageId : String(subject ?? `${registryId}/${externalName}`),
  handlers: {
    SETUP: { outside: setUpRegistry },
    CLEANUP: doing(ofRegistry, (work, { id }) => work.cleanUp(id)),
    DELETE: doing(ofRegistry, (work, { id }) => work.leave(id)),
    PROJECT_LINK: doing(ofProject, (work, { id, secret }) => work.link(id, secret)),
    PROJECT_UNLINK: doing(ofName, (work, project) => work.unlink(project)),
    PROJECT_RELINK: doing(ofName, (work, project) => work.relink(project)),
    HOOK_PROCESS: countEvent,
  },
})

/** What is done outside of any transaction, and again where the process ends before the message is noted. */
function doing<Data>(
  data: BodyValidator<Data>,
  perform: (work: RegistryWork, content: Data) => Promise<void>
): OutwardHandler {
  return {
    async outside(message) {
      const content = await contentOf(message, data)
      await perform(await registryWork(), content)
      return async () => {}
    },
  }
}

async function setUpRegistry(message: Message) {
  const { id } = await contentOf(message, ofRegistry)
  const work = await registryWork()
  return work.setUp(id)
}

async function countEvent({ transaction, message }: Handling): Promise<void> {
  const { type } = await contentOf(message, hookBody)
  afterCommit(transaction, () => countHook(type))
}

const registryWork = () => app.container.make(RegistryWork)
