import type { ApplicationService } from '@adonisjs/core/types'

import { s3Disk } from '#configuration/s3_disk'
import { health } from '#observability/health'
import { EventSink } from '#records/events'
import { telemetryPool } from '#telemetry/database'
import { EventService } from '#telemetry/events/event_service'
import { EventTail } from '#telemetry/events/live/event_tail'
import { EVENTS_TOPIC, onAppended } from '#telemetry/events/live/append_notifications'
import { logStoreAddresses } from '#telemetry/logs/log_store_addresses'
import { DriveAnchor, inBucket, inFolder } from '#telemetry/trail/drive_anchor'
import { lateHeads } from '#telemetry/trail/late_heads'
import { makeAuditBucket } from '#telemetry/trail/make_audit_bucket'
import { TrailService } from '#telemetry/trail/trail_service'
import { env } from '#start/env'

const LOG_STORE_WITHIN_MS = 1_500

/** Optional dependencies of telemetry. */
function watchStores(): void {
  health.watchOptional('audit heads', async () => {
    const problem = await lateHeads(telemetryPool())
    if (problem !== undefined) {
      throw new Error(problem)
    }
  })
  if (logStoreAddresses(env).length > 0) {
    health.watchOptional('log store', async () => {
      await Promise.all(logStoreAddresses(env).map((address) => requireAnswer(address)))
    })
  }
}

async function requireAnswer(address: string): Promise<void> {
  const signal = AbortSignal.timeout(LOG_STORE_WITHIN_MS)
  const response = await fetch(`${address}/health`, { signal, redirect: 'manual' }).catch(
    (error: unknown) => {
      throw new Error('it does not answer', { cause: error })
    }
  )
  await response.body?.cancel()
  if (!response.ok) {
    throw new Error(`it answers ${response.status}`)
  }
}

/** Binds the services of telemetry; audit anchors are stored next to the objects. */
export function wireTelemetry({ container }: ApplicationService): void {
  if (env.SURFACES.includes('telemetry')) {
    watchStores()
  }
  container.singleton(EventService, async (resolver) => {
    const sink = await resolver.make(EventSink)
    const tail = await resolver.make(EventTail)
    const findRealms = await resolver.make('recordRealms')
    return new EventService({ pool: telemetryPool(), sink, tail, findRealms })
  })
  container.singleton(EventTail, async (resolver) => {
    return new EventTail(telemetryPool(), await resolver.make('signals'))
  })
  onAppended(async () => {
    const signals = await container.make('signals')
    signals.notify(EVENTS_TOPIC)
  })
  container.singleton(DriveAnchor, async (resolver) => {
    const drive = await resolver.make('drive.manager')
    const disk = drive.use()
    const { S3_ENDPOINT } = env
    const replace = S3_ENDPOINT
      ? inBucket(disk, () => makeAuditBucket(s3Disk({ ...env, S3_ENDPOINT })))
      : inFolder(env.STORAGE_PATH)
    return new DriveAnchor(disk, replace)
  })
  container.singleton(TrailService, async (resolver) => {
    const anchor = await resolver.make(DriveAnchor)
    return new TrailService({ pool: telemetryPool(), anchor })
  })
}
