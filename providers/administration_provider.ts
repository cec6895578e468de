import type { ApplicationService } from '@adonisjs/core/types'

import { SecurityAudit } from '#audit/security_audit'
import { Bus } from '#bus/bus'
import { Administration } from '#core/administration/administration'
import { Examinations } from '#core/administration/examinations'
import type { Credential } from '#core/administration/credential'
import { InstallationStatus } from '#core/administration/installation_status'
import { corePool } from '#core/database'
import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { databaseOwners } from '#database/bus_connections'
import { pools } from '#database/pools'
import { openDeadLetters } from '#outbox/dead_letters'
import { env } from '#start/env'
import { surfaceStates } from './surface_states.js'

/** Binds the administration of this process, created on first use. */
export default class AdministrationProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    const { container } = this.app
    container.singleton(Administration, async (resolver) => {
      const { queuesWithDead } = await import('#start/bus')
      const { registeredSweeps, sweepPool } = await import('#start/sweeps')
      const consumers = await queuesWithDead()
      return new Administration({
        queues: consumers.map(({ queue }) => queue),
        letters: openDeadLetters(consumers, env.AMQP_URL),
        audit: await resolver.make(SecurityAudit),
        sweeps: await registeredSweeps(this.app),
        pool: sweepPool(),
      })
    })
    container.singleton(Examinations, async (resolver) => {
      const logger = await resolver.make('logger')
      return new Examinations({
        async examine() {
          const { examineInstallation } = await import('#start/examination')
          return examineInstallation()
        },
        onError: (error) => logger.error({ err: error }, 'the doctor could not examine'),
      })
    })
    container.singleton(InstallationStatus, async (resolver) => {
      const owners = databaseOwners(surfacesOf(env))
      return new InstallationStatus({
        administration: await resolver.make(Administration),
        bus: await resolver.make(Bus),
        pool: corePool(),
        databases: new Map(owners.map((surface) => [surface, pools.for(databaseUrl(surface))])),
        silenceSeconds: env.WORKER_SILENCE_SECONDS,
        surfaces: surfaceStates,
        signingKeys,
      })
    })
  }
}

/** The signing keys of the embedded provider only. */
async function signingKeys(): Promise<Credential[]> {
  if (!surfacesOf(env).includes('identity') || env.IDENTITY_URL !== undefined) {
    return []
  }
  const { endingKeys } = await import('#identity/embedded/keys/ending_keys')
  const keys = await endingKeys()
  return keys.map((key) => ({
    type: 'signingKey',
    ...key,
    name: null,
    since: null,
    isRenewed: true,
  }))
}
