import type { ApplicationService } from '@adonisjs/core/types'

import { Bus } from '#bus/bus'
import { logTap } from '#config/logger'
import { surfacesOf, usesDatabase } from '#configuration/processes'
import { shippedLine, type ShippedLine } from '#shipping/log_task'
import { Shipper } from '#shipping/shipper'
import { isLogWriter, readLine, surfaceOf } from '#shipping/log_line'
import { env } from '#start/env'
import { OwnLogStore } from '#telemetry/logs/log_store'

/**
 * Ships the log lines of this process: telemetry's own lines to a memory store in this process, all others to
 * telemetry over the bus.
 */
export default class ShippingProvider {
  #shipper: Shipper | undefined
  #stopListening = () => {}

  constructor(protected app: ApplicationService) {}

  async ready() {
    if (env.LOG_SHIP_LEVEL === 'off' || this.app.getEnvironment() !== 'web') {
      return
    }
    const surfaces = usesDatabase(env) ? surfacesOf(env) : ['worker']
    const shipper = new Shipper(() => this.app.container.make(Bus))
    const writeLocally = surfaces.includes('telemetry') ? await this.#localWriter() : undefined
    this.#shipper = shipper
    this.#stopListening = logTap.listen((text) => {
      const line = readLine(text)
      if (line && !line.shipped) {
        const surface = surfaceOf(line, surfaces)
        const deliver =
          isLogWriter(surface) && writeLocally
            ? writeLocally
            : (shipped: ShippedLine) => shipper.ship(shipped)
        deliver(shippedLine(line, surface))
      }
    })
  }

  async shutdown() {
    this.#stopListening()
    await this.#shipper?.stop()
  }

  async #localWriter(): Promise<(line: ShippedLine) => void> {
    const { PLATFORM } = await import('#telemetry/events/reporter')
    const { normalizedLine } = await import('#telemetry/logs/normalized_line')
    const store = await this.app.container.make(OwnLogStore)
    const owner = { reportedBy: PLATFORM, realms: [] }
    return (line) => void store.write([normalizedLine({ ...line, owner })])
  }
}
