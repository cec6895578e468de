import { createHash } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import vine from '@vinejs/vine'

import { defineConsumer, type Conclusion, type GivenUpMessage } from '#bus/consumer'
import { contentOf } from '#bus/content_of'
import { MalformedMessage } from '#bus/errors'
import type { Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { body } from '#kernel/body'
import { Failure } from '#kernel/failures'
import { serviceOrigin } from '#auth/service_origin'
import { isUuid } from '#kernel/is_uuid'
import { afterCommit } from '#records/transaction'
import { bucket } from './bucket.js'
import { BucketService } from './bucket_service.js'
import { tellOfBucket, type CommandedOrigin } from './storage_events.js'

import { giveBack } from './bucket_removal.js'

const ofBucket = body({ id: vine.string().uuid() })

/**
 * Makes and deletes buckets for others that ask for it on the bus, and tells them what came of it.
 */
export const bucketConsumer = defineConsumer({
  queue: COMMAND_QUEUES.storageBucket,
  surface: 'storage',
  prefetch: 10,
  recordOf: ({ id, type, data }) => (type === 'delete' ? String(data.id).toLowerCase() : id),
  handlers: { create: { outside: create }, delete: { outside: remove } },
  givenUp: tellFailure,
})

async function create(message: Message): Promise<Conclusion> {
  const wanted = await contentOf(message, bucket.createBody!)
  const origin = await originOf(message)
  const buckets = await app.container.make(BucketService)
  try {
    return await buckets.createCommanded(origin, { ...wanted, id: bucketIdOf(message) })
  } catch (error) {
    throw isRefusal(error) ? new MalformedMessage(error.message, { cause: error }) : error
  }
}

async function remove(message: Message): Promise<Conclusion> {
  const { id } = await contentOf(message, ofBucket)
  const origin = await originOf(message)
  const buckets = await app.container.make(BucketService)
  return (transaction) => buckets.removeCommanded(transaction, origin, id)
}

/** Whoever asked hears that it came to nothing, and no more of the reason than is about what they sent. */
async function tellFailure({ transaction, message, reason }: GivenUpMessage): Promise<void> {
  const error = toldOf(reason)
  if (message.type === 'create') {
    const id = bucketIdOf(message)
    await tellOfBucket(transaction, { command: message }, 'creationFailed', { id, error })
    afterCommit(transaction, () => void giveBack(id))
  } else {
    const { id } = message.data
    const named = typeof id === 'string' && isUuid(id) ? { id } : {}
    await tellOfBucket(transaction, { command: message }, 'deletionFailed', { ...named, error })
  }
}

function toldOf(reason: unknown): string {
  const isForOthers = reason instanceof MalformedMessage || isRefusal(reason)
  return isForOthers ? reason.message : 'This could not be done'
}

/** What another attempt would not change. */
function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && error.status < 500
}

/** The same however often the command arrives. */
function bucketIdOf({ id }: Message): string {
  const digest = createHash('sha256').update(`${COMMAND_QUEUES.storageBucket}/${id}`).digest('hex')
  const variant = '89ab'[Number.parseInt(digest[16]!, 16) % 4]
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-')
}

async function originOf(message: Message): Promise<CommandedOrigin> {
  return { ...(await serviceOrigin()), command: message }
}
