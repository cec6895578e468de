import { Logger } from '@adonisjs/core/logger'
import type { ApplicationService } from '@adonisjs/core/types'

import { Wakeups } from '#messenger/delivery/wakeups'
import { WakeupStreams } from '#messenger/delivery/wakeup_streams'
import { ExpiredMessageService } from '#messenger/mailboxes/expired_message_service'
import { MailboxReader } from '#messenger/mailboxes/mailbox_reader'
import { MessageService } from '#messenger/messages/message_service'
import { health } from '#observability/health'
import { Signals } from '#signals/signals'
import { env } from '#start/env'
import { makeOnce } from './made_once.js'

/** Binds the services of messenger, and adds a health check of wakeups. */
export function wireMessenger(app: ApplicationService): void {
  const { container } = app
  container.singleton(Wakeups, async (resolver) => {
    const logger = await resolver.make(Logger)
    const wakeups = await Wakeups.open({
      signals: await resolver.make(Signals),
      report: (error, what) => logger.warn({ err: error }, what),
    })
    app.terminating(() => wakeups.close())
    return wakeups
  })
  makeOnce(container, [WakeupStreams, MessageService, ExpiredMessageService, MailboxReader])
  if (env.REDIS_URL && env.SURFACES.includes('messenger')) {
    health.watchOptional('wakeups', async () => {
      const { isReady } = await container.make(Signals)
      requireWakeups(isReady)
    })
  }
}

function requireWakeups(areCarried: boolean): void {
  if (!areCarried) {
    throw new Error('Redis carries no wakeups, mailboxes are polled every 2 s')
  }
}
