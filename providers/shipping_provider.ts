import type { ApplicationService } from '@adonisjs/core/types'

import { logTap } from '#config/logger'
import { surfacesOf, usesDatabase } from '#configuration/processes'
import { shippedLine, type ShippedLine } from '#shipping/log_task'
import { Shipper } from '#shipping/shipper'
import { isLogWriter, readLine, surfaceOf } from '#shipping/log_line'
import { env } from '#start/env'

/**
 * Brings what this process logs to where logs are kept: telemetry's own lines into the memory of this process and nowhere else,
 * all others to telemetry by way of the bus.
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
    const shipper = new Shipper(() => this.app.container.make('bus'))
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
    const { normalizedLine } = await import('#telemetry/logs/normalized_line')
    const store = await this.app.container.make('ownLogStore')
    return (line) => void store.write([normalizedLine(line)])
  }
}
