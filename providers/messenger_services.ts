import type { ApplicationService } from '@adonisjs/core/types'

import { messengerPool } from '#messenger/database'
import { Wakeups } from '#messenger/delivery/wakeups'
import { WakeupStreams } from '#messenger/delivery/wakeup_streams'
import { ExpiredMessageService } from '#messenger/mailboxes/expired_message_service'
import { MessageService } from '#messenger/messages/message_service'
import { health } from '#observability/health'
import { env } from '#start/env'
import { makeOnce } from './made_once.js'

/** Binds the services of messenger, and adds a health check of wakeups. */
export function wireMessenger(app: ApplicationService): void {
  const { container } = app
  container.singleton(Wakeups, async (resolver) => {
    const logger = await resolver.make('logger')
    const wakeups = await Wakeups.open({
      pool: messengerPool(),
      signals: await resolver.make('signals'),
      report: (error, what) => logger.warn({ err: error }, what),
    })
    app.terminating(() => wakeups.close())
    return wakeups
  })
  makeOnce(container, [WakeupStreams])
  container.singleton(
    MessageService,
    async (resolver) =>
      new MessageService({
        pool: messengerPool(),
        wakeups: await resolver.make(Wakeups),
        messageMaxBytes: env.MESSAGE_MAX_BYTES,
        mailboxMaxBytes: env.MAILBOX_MAX_BYTES,
        senderMaxBytes: env.SENDER_MAX_BYTES,
        senderMaxMessages: env.SENDER_MAX_MESSAGES,
      })
  )
  container.singleton(ExpiredMessageService, () => new ExpiredMessageService(messengerPool()))
  if (env.REDIS_URL && env.SURFACES.includes('messenger')) {
    health.watch('wakeups', async () => {
      const { isReady } = await container.make('signals')
      requireWakeups(isReady)
    })
  }
}

function requireWakeups(areCarried: boolean): void {
  if (!areCarried) {
    throw new Error('degraded: Redis carries no wakeups, mailboxes are polled every 2 s')
  }
}
