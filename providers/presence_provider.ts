import type { ApplicationService } from '@adonisjs/core/types'

import { surfacesOf } from '#configuration/processes'
import { NodePresence } from '#core/nodes/node_presence'
import { onSightings, publishSightings, type Sightings } from '#core/nodes/shared_sightings'
import { ClientActivity } from '#http/client_activity'
import { Signals } from '#signals/signals'
import { env } from '#start/env'

const RECORD_EVERY_MS = 2_000

type RecordSeen = (seenAt: Sightings) => Promise<void>

/**
 * Records which clients this process sees: in the database of core, or through a process of core if this one does not
 * serve it.
 */
export default class PresenceProvider {
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: (() => Promise<void>) | undefined

  constructor(protected app: ApplicationService) {}

  async ready() {
    if (env.SURFACES.length === 0 || this.app.getEnvironment() !== 'web') {
      return
    }
    const { container } = this.app
    const [activity, logger] = [
      await container.make(ClientActivity),
      await container.make('logger'),
    ]
    const report = (error: Error) => logger.warn({ err: error }, 'presence was not recorded')
    const signals = await container.make(Signals)
    const servesCore = surfacesOf(env).includes('core')
    const record = servesCore ? await this.#localRecorder() : remoteRecorder(signals)
    const recordSeen = (seenAt: Sightings) => void record(seenAt).catch(report)
    if (servesCore) {
      this.#unsubscribe = await onSightings(signals, recordSeen)
    }
    this.#timer = setInterval(() => recordSeen(activity.takeSeen()), RECORD_EVERY_MS).unref()
  }

  async shutdown() {
    clearInterval(this.#timer)
    await this.#unsubscribe?.()
  }

  async #localRecorder(): Promise<RecordSeen> {
    const presence = await this.app.container.make(NodePresence)
    return (seenAt) => presence.recordSeen(seenAt)
  }
}

const remoteRecorder =
  (signals: Signals): RecordSeen =>
  async (seenAt) => {
    if (seenAt.size > 0) {
      await publishSightings(signals, seenAt)
    }
  }
