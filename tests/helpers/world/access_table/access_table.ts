import type { SurfaceName } from '#configuration/surfaces'
import type { Rule } from '#tests/helpers/world/access_rules'
import { CORE } from './core.js'
import { IDENTITY } from './identity.js'
import { MESSENGER } from './messenger.js'
import { STORAGE } from './storage.js'
import { TELEMETRY } from './telemetry.js'

/**
 * Who may, by surface and operation. In brackets stand ways to use an operation that ask for something else. What is not
 * listed is open to everybody (`PUBLIC`), or is a page of the console, which shows what the interface shows.
 */
export const ACCESS_TABLE: Readonly<Record<SurfaceName, Readonly<Record<string, Rule>>>> = {
  core: CORE,
  storage: STORAGE,
  telemetry: TELEMETRY,
  messenger: MESSENGER,
  identity: IDENTITY,
}
