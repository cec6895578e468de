import app from '@adonisjs/core/services/app'
import vine from '@vinejs/vine'

import {
  defineConsumer,
  singleHandler,
  type Completion,
  type DeadLetteredMessage,
} from '#bus/consumer'
import { validatedData } from '#bus/validated_data'
import { derivedId } from '#bus/derived_id'
import { MalformedMessage } from '#bus/errors'
import type { Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { body } from '#kernel/body'
import { Failure } from '#kernel/failures'
import { serviceOrigin } from '#auth/service_origin'
import { isUuid } from '#kernel/is_uuid'
import { afterCommit } from '#records/transaction'
import { createBucket } from './bucket.js'
import { BucketService } from './bucket_service.js'
import { recordBucketEvent, type CommandOrigin } from './storage_events.js'

import { removeUnusedLocations } from './bucket_removal.js'

const bucketReference = body({ id: vine.string().uuid() })

/** Creates and deletes buckets for commands of the bus, and publishes the result. */
export const bucketConsumer = defineConsumer({
  queue: COMMAND_QUEUES.storageBucket,
  surface: 'storage',
  prefetch: 10,
  recordOf: ({ id, type, data }) => (type === 'delete' ? String(data.id).toLowerCase() : id),
  handlers: { create: singleHandler(create), delete: singleHandler(remove) },
  onDeadLetter: reportFailure,
})

async function create(message: Message): Promise<Completion> {
  const content = await validatedData(message, createBucket)
  const origin = await originOf(message)
  const buckets = await app.container.make(BucketService)
  try {
    return await buckets.createForCommand(origin, { ...content, id: bucketIdOf(message) })
  } catch (error) {
    throw isRefusal(error) ? new MalformedMessage(error.message, { cause: error }) : error
  }
}

async function remove(message: Message): Promise<Completion> {
  const { id } = await validatedData(message, bucketReference)
  const origin = await originOf(message)
  const buckets = await app.container.make(BucketService)
  return (transaction) => buckets.removeForCommand(transaction, origin, id)
}

/** Publishes the failure. The reason is included only if it concerns the sender's message. */
async function reportFailure({ transaction, message, reason }: DeadLetteredMessage): Promise<void> {
  const error = publicMessage(reason)
  if (message.type === 'create') {
    const id = bucketIdOf(message)
    await recordBucketEvent(transaction, { command: message }, 'creationFailed', { id, error })
    afterCommit(transaction, () => void removeUnusedLocations(id))
  } else {
    const { id } = message.data
    const reference = typeof id === 'string' && isUuid(id) ? { id } : {}
    await recordBucketEvent(transaction, { command: message }, 'deletionFailed', {
      ...reference,
      error,
    })
  }
}

function publicMessage(reason: unknown): string {
  const isPublic = reason instanceof MalformedMessage || isRefusal(reason)
  return isPublic ? reason.message : 'The command failed'
}

/** Whether a retry is pointless. */
function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && error.status < 500
}

const bucketIdOf = (message: Message) => derivedId(COMMAND_QUEUES.storageBucket, message)

async function originOf(message: Message): Promise<CommandOrigin> {
  return { ...(await serviceOrigin()), command: message }
}
