import app from '@adonisjs/core/services/app'

import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import type { Report } from '#doctor/examine'
import { env, secretsInEnvironment } from './env.js'

/** Has the doctor examine the installation as this process is configured. The settings must have been loaded. */
export async function examineInstallation(): Promise<Report> {
  const { examine } = await import('#doctor/examine')
  const { ALL_CHECKS } = await import('#doctor/all_checks')
  const { CheckContext } = await import('#doctor/check_context')
  const { queuesWithDead } = await import('./bus.js')
  const consumers = await queuesWithDead()
  const context = new CheckContext({
    env,
    surfaces: surfacesOf(env),
    addressOf: databaseUrl,
    queues: consumers.map(({ queue }) => queue),
    migrations: new URL('database/migrations/', app.appRoot),
    secretsInEnvironment,
  })
  try {
    return await examine(context, ALL_CHECKS)
  } finally {
    await context.close()
  }
}
