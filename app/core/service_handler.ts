import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { serviceOrigin } from '#auth/service_origin'
import { singleHandler, type Completion, type Handler } from '#bus/consumer'
import { validatedData } from '#bus/validated_data'
import type { Message } from '#bus/message'
import type { BodyValidator } from '#kernel/body'
import type { Origin } from '#kernel/origin'

/** A validated message, and the transaction that handles it. */
export interface ServiceMessage<Content> {
  readonly transaction: pg.ClientBase
  readonly origin: Origin
  readonly content: Content
  readonly message: Message
}

/** Creates a handler that calls a service with the origin of the platform, which is read before the transaction starts. */
export function serviceHandler<Content, Service>(
  validator: Pick<BodyValidator<Content>, 'validate'>,
  Service: abstract new (...args: never[]) => Service,
  handle: (service: Service, message: ServiceMessage<Content>) => Promise<void>
): Handler<Completion> {
  return singleHandler(async (message) => {
    const content = await validatedData(message, validator)
    const origin = await serviceOrigin()
    const service = await app.container.make(Service)
    return (transaction) => handle(service, { transaction, origin, content, message })
  })
}

/** Creates a handler as `serviceHandler` does, which handles waiting messages about the same record in one batch. */
export function serviceBatchHandler<Content, Service>(
  validator: Pick<BodyValidator<Content>, 'validate'>,
  Service: abstract new (...args: never[]) => Service,
  maxSize: number,
  handle: (
    service: Service,
    batch: Pick<ServiceMessage<Content>, 'transaction' | 'origin'> & {
      readonly contents: readonly Content[]
    }
  ) => Promise<void>
): Handler<{ content: Content; origin: Origin; service: Service }> {
  return {
    batch: { by: 'record', maxSize },
    async read(message) {
      const content = await validatedData(message, validator)
      const origin = await serviceOrigin()
      return { content, origin, service: await app.container.make(Service) }
    },
    async write(transaction, messages) {
      const { service, origin } = messages[0]!
      const contents = messages.map(({ content }) => content)
      await handle(service, { transaction, origin, contents })
    },
  }
}
