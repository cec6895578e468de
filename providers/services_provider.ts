import type { ApplicationService } from '@adonisjs/core/types'

import { servedOf, type Served } from '#configuration/processes'
import { env } from '#start/env'

type Wiring = (app: ApplicationService) => void

/** Loaded only if the process works for the surface. */
const WIRINGS: Partial<Record<Served, () => Promise<Wiring>>> = {
  core: async () => {
    const { wireCore } = await import('./core_services.js')
    return wireCore
  },
  storage: async () => {
    const { wireStorage } = await import('./storage_services.js')
    return wireStorage
  },
  telemetry: async () => {
    const { wireTelemetry } = await import('./telemetry_services.js')
    return wireTelemetry
  },
  messenger: async () => {
    const { wireMessenger } = await import('./messenger_services.js')
    return wireMessenger
  },
  identity: async () => {
    const { wireIdentity } = await import('./identity_services.js')
    return wireIdentity
  },
  console: async () => {
    const { wireConsole } = await import('./console_services.js')
    return wireConsole
  },
}

/**
 * Binds the services of this process's surfaces as singletons, created on first use.
 */
export default class ServicesProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    for (const surface of servedOf(env)) {
      const wire = await WIRINGS[surface]?.()
      wire?.(this.app)
    }
  }
}
