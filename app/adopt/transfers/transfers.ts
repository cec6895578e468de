import type { Service, Transfer } from '#adopt/transfer'
import { CORE } from './core.js'
import { MESSENGER } from './messenger.js'
import { STORAGE } from './storage.js'
import { TELEMETRY } from './telemetry.js'

/** What is referred to comes before what refers to it. */
export const TRANSFERS: Readonly<Record<Service, readonly Transfer[]>> = {
  storage: STORAGE,
  core: CORE,
  telemetry: TELEMETRY,
  messenger: MESSENGER,
}
