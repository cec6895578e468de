import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { serviceOrigin } from '#auth/service_origin'
import type { OutwardHandler } from '#bus/consumer'
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
): OutwardHandler {
  return {
    async outside(message) {
      const content = await contentOf(message, validator)
      const origin = await serviceOrigin()
      const service = await app.container.make(Service)
      return (transaction) => follow(service, { transaction, origin, content, message })
    },
  }
}
