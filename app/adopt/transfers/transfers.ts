import type { Service, Transfer } from '#adopt/transfer'
import { CORE } from './core.js'
import { MESSENGER } from './messenger.js'
import { STORAGE } from './storage.js'
import { TELEMETRY } from './telemetry.js'

/** In order of references between services. */
export const TRANSFERS: Readonly<Record<Service, readonly Transfer[]>> = {
  storage: STORAGE,
  core: CORE,
  telemetry: TELEMETRY,
  messenger: MESSENGER,
}
