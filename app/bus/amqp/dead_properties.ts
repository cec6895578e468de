import type { GetMessage, MessageProperties, Options } from 'amqplib'

import { clock } from '#kernel/clock'
import type { DeadLetterCause } from '#bus/bus'
import type { DeadLetter } from '#bus/dead_letters'
import { newId } from '#kernel/new_id'

const LONGEST_REASON = 1_000

const HEADERS = {
  id: 'x-dead-id',
  queue: 'x-dead-queue',
  reason: 'x-dead-reason',
  attempts: 'x-dead-attempts',
  at: 'x-dead-at',
} as const

/** The headers of a dead letter, readable with the broker's own tools. */
export function deadProperties(
  queue: string,
  properties: MessageProperties,
  { reason, attempts }: DeadLetterCause
): Options.Publish {
  return {
    ...identityOf(properties),
    persistent: true,
    headers: {
      [HEADERS.id]: newId(),
      [HEADERS.queue]: queue,
      [HEADERS.reason]: reason.slice(0, LONGEST_REASON),
      [HEADERS.attempts]: attempts,
      [HEADERS.at]: new Date(clock.now()).toISOString(),
    },
  }
}

export function readDeadLetter(queue: string, { content, properties }: GetMessage): DeadLetter {
  const headers = properties.headers ?? {}
  return {
    id: deadIdOf({ properties }),
    queue,
    messageId: properties.messageId ?? null,
    type: properties.type ?? null,
    reason: String(headers[HEADERS.reason] ?? 'unknown'),
    attempts: Number(headers[HEADERS.attempts] ?? 0),
    diedAt: new Date(String(headers[HEADERS.at] ?? 0)),
    body: content,
  }
}

export function deadIdOf({ properties }: Pick<GetMessage, 'properties'>): string {
  return String(properties.headers?.[HEADERS.id] ?? properties.messageId ?? '')
}

/** The properties that identify a message outside its body. */
export function identityOf({ messageId, type }: MessageProperties): Options.Publish {
  return { ...(messageId !== undefined && { messageId }), ...(type !== undefined && { type }) }
}
