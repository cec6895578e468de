import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { serviceOrigin } from '#auth/service_origin'
import type { ExternalHandler, OrderedBatchHandler } from '#bus/consumer'
import { contentOf } from '#bus/content_of'
import type { Message } from '#bus/message'
import type { BodyValidator } from '#kernel/body'
import type { Origin } from '#kernel/origin'

/** What a message says, and what is needed to write what follows from it. */
export interface Heard<Content> {
  readonly transaction: pg.ClientBase
  readonly origin: Origin
  readonly content: Content
  readonly message: Message
}

/** Has a service follow what messages say, in the platform's own name, which nobody can ask for while a transaction is open. */
export function following<Content, Service>(
  validator: Pick<BodyValidator<Content>, 'validate'>,
  Service: abstract new (...args: never[]) => Service,
  follow: (service: Service, heard: Heard<Content>) => Promise<void>
): ExternalHandler {
  return {
    async execute(message) {
      const content = await contentOf(message, validator)
      const origin = await serviceOrigin()
      const service = await app.container.make(Service)
      return (transaction) => follow(service, { transaction, origin, content, message })
    },
  }
}

/** As `following`, for messages about the same record that are handled together where several wait. */
export function followingAll<Content, Service>(
  validator: Pick<BodyValidator<Content>, 'validate'>,
  Service: abstract new (...args: never[]) => Service,
  most: number,
  follow: (
    service: Service,
    heard: Pick<Heard<Content>, 'transaction' | 'origin'> & {
      readonly contents: readonly Content[]
    }
  ) => Promise<void>
): OrderedBatchHandler<{ content: Content; origin: Origin; service: Service }> {
  return {
    maxBatchSize: most,
    async read(message) {
      const content = await contentOf(message, validator)
      const origin = await serviceOrigin()
      return { content, origin, service: await app.container.make(Service) }
    },
    async handleInOrder(transaction, heard) {
      const [first] = heard
      if (first) {
        const contents = heard.map(({ content }) => content)
        await follow(first.service, { transaction, origin: first.origin, contents })
      }
    },
  }
}
