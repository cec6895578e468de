import type { ApplicationService } from '@adonisjs/core/types'

import { appSettings } from '#settings/app_settings'
import type { Layout } from '#storage/objects/layout'
import { ObjectStore } from '#storage/objects/object_store'
import { HeadAnchor } from '#telemetry/trail/head_anchor'
import { storageSettings } from '#storage/storage_settings'
import { ownDatabases, type DatabaseAddress } from './databases.js'

/** What a backup reads and a restoration writes. */
export interface Installation {
  readonly databases: readonly DatabaseAddress[]
  /** Undefined if this process does not serve storage. */
  readonly store: ObjectStore | undefined
  /** Where objects are in the store. */
  readonly layout: Layout
  /** Undefined if this process does not serve telemetry. */
  readonly anchor: HeadAnchor | undefined
  readonly key: string
}

export async function ownInstallation(app: ApplicationService): Promise<Installation> {
  const { surfaces, appKeys } = appSettings()
  return {
    databases: ownDatabases(),
    store: surfaces.includes('storage') ? await app.container.make(ObjectStore) : undefined,
    layout: storageSettings().layout,
    anchor: surfaces.includes('telemetry') ? await app.container.make(HeadAnchor) : undefined,
    key: appKeys[0],
  }
}
