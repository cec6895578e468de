import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { IdentityProvider } from '#auth/provider'
import { reactToChanges } from '#auth/reactions'
import type { RunningJob } from '#jobs/running_job'
import type { LongSweep, Sweep } from '#jobs/sweep'
import { exposeBacklog } from '#messenger/mailboxes/backlog'
import { mailboxReactions } from '#messenger/mailboxes/mailbox_removal'
import { leftoverSweep, messageSweep } from '#messenger/mailboxes/message_sweeps'
import { messengerPool } from './database.js'

/** The periodic jobs of messenger: expiry of messages, and removal of unused rows. */
export function messengerSweeps(logger: Logger): readonly (Sweep | LongSweep)[] {
  exposeBacklog(messengerPool())
  return [messageSweep(logger), leftoverSweep]
}

/** Removes mailboxes when the identity provider reports that a user or client was deleted. */
export async function reactToIdentityChanges(logger: Logger): Promise<RunningJob> {
  const provider = await app.container.make(IdentityProvider)
  return { stop: await reactToChanges(provider, mailboxReactions, logger) }
}
