import app from '@adonisjs/core/services/app'
import vine from '@vinejs/vine'

import { defineConsumer, singleHandler, type Completion, type Handler } from '#bus/consumer'
import { validatedData } from '#bus/validated_data'
import type { Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { body, type BodyValidator } from '#kernel/body'
import { afterCommit } from '#records/transaction'

import { webhookBody } from './webhook_body.js'
import { countRegistryEvent } from './count_registry_event.js'
import { RegistryReconciler } from './registry_reconciler.js'
import { robotSecret } from './robot_secret.js'

const uuid = () => vine.string().uuid()
const text = (max: number) => vine.string().maxLength(max)

const registryBody = body({ id: uuid() })
const projectBody = body({ id: uuid(), secret: robotSecret().nullable().optional() })
const nameBody = body({
  id: uuid().nullable().optional(),
  registryId: uuid(),
  externalName: text(64),
  accountId: text(64).nullable().optional(),
})

/** Applies changes of records to registries. A registry that fails does not block the commands of others. */
export const registryConsumer = defineConsumer({
  queue: COMMAND_QUEUES.registry,
  surface: 'core',
  prefetch: 10,
  recordOf: ({ id: messageId, type, data: { id: subject, registryId, externalName } }) =>
    type === 'HOOK_PROCESS' ? messageId : String(subject ?? `${registryId}/${externalName}`),
  handlers: {
    SETUP: singleHandler(setUpRegistry),
    CLEANUP: outwardHandler(registryBody, (work, { id }) => work.cleanUp(id)),
    DELETE: outwardHandler(registryBody, (work, { id }) => work.remove(id)),
    PROJECT_LINK: outwardHandler(projectBody, (work, { id, secret }) => work.link(id, secret)),
    PROJECT_UNLINK: outwardHandler(nameBody, (work, project) => work.unlink(project)),
    PROJECT_RELINK: outwardHandler(nameBody, (work, project) => work.relink(project)),
    HOOK_PROCESS: singleHandler(countWebhookEvent),
  },
})

/** Runs outside of a transaction. It runs again if the process stops before the message is acknowledged. */
function outwardHandler<Data>(
  data: BodyValidator<Data>,
  perform: (work: RegistryReconciler, content: Data) => Promise<void>
): Handler<Completion> {
  return singleHandler(async (message) => {
    const content = await validatedData(message, data)
    await perform(await makeReconciler(), content)
    return async () => {}
  })
}

async function setUpRegistry(message: Message) {
  const { id } = await validatedData(message, registryBody)
  const work = await makeReconciler()
  return work.setUp(id)
}

async function countWebhookEvent(message: Message): Promise<Completion> {
  const { type } = await validatedData(message, webhookBody)
  return async (transaction) => afterCommit(transaction, () => countRegistryEvent(type))
}

const makeReconciler = () => app.container.make(RegistryReconciler)
