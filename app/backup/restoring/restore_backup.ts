import type { ApplicationService } from '@adonisjs/core/types'

import { BackupClient } from '#backup/backup_client'
import { nameOf } from '#backup/databases'
import { BackupRefused } from '#backup/errors'
import { restoreHeads } from '#backup/heads'
import type { Installation } from '#backup/installation'
import { findManifest, type Manifest } from '#backup/manifest'
import { verify } from '#backup/pack'
import type { SurfaceName } from '#configuration/surfaces'
import { restorationIn } from '#database/restoration'
import { migrate } from '#database/migrator'
import {
  destinationsOf,
  requireContinuableTables,
  requireEmpty,
  requireNoObjects,
  type Destination,
} from './requirements.js'
import { isLoaded, markRestoring, clearMark } from './restoration_mark.js'
import { relocateObjects } from './relocate_objects.js'
import { loadTables, type RestoreContext } from './load_tables.js'
import { restoreObjects, type RestoreCounts } from './restore_objects.js'

export interface RestoreResult {
  readonly manifest: Manifest
  readonly objects: RestoreCounts | undefined
  /** Migrations added since the backup. */
  readonly migrations: readonly string[]
}

/** Restores a backup into an empty installation. An interrupted restoration resumes when repeated. */
export async function restoreBackup(
  app: ApplicationService,
  installation: Installation,
  context: RestoreContext
): Promise<RestoreResult> {
  const manifest = await findManifest(context.backupStore, installation.key)
  if (!manifest) {
    throw new BackupRefused('There is no complete backup at this location')
  }
  const restoration = new Restoration(app, installation, manifest, context)
  try {
    return await restoration.run()
  } finally {
    restoration.terminate()
  }
}

interface OpenDestination extends Destination {
  readonly client: BackupClient
}

class Restoration {
  readonly #destinations: OpenDestination[] = []

  constructor(
    readonly app: ApplicationService,
    readonly installation: Installation,
    readonly manifest: Manifest,
    readonly context: RestoreContext
  ) {
    context.signal.addEventListener('abort', () => this.terminate())
  }

  async run(): Promise<RestoreResult> {
    const { app, manifest, installation, context: restoring } = this
    for (const destination of destinationsOf(installation, manifest)) {
      this.#destinations.push({ ...destination, client: await BackupClient.open(destination.url) })
    }
    await this.#requireRestorable()
    await this.#load()
    const objects = await this.#restoreObjects()
    await this.#restoreHeads()
    const migrations = await migrate(app, this.#surfaces)
    restoring.signal.throwIfAborted()
    for (const { client } of this.#destinations) {
      await clearMark(client)
    }
    return { manifest, objects, migrations }
  }

  terminate(): void {
    this.#destinations.forEach(({ client }) => client.terminate())
  }

  /** Checks all requirements before anything is written. */
  async #requireRestorable(): Promise<void> {
    const { manifest, installation, context: restoring } = this
    requireContinuableTables(manifest)
    const started: boolean[] = []
    for (const { client, ...database } of this.#destinations) {
      const backup = await restorationIn(client)
      if (backup !== undefined && backup !== manifest.id) {
        throw new BackupRefused(
          `Backup ${backup} is being restored into the database of ${nameOf(database)}, not ${manifest.id}: finish that restoration, or create a new database`
        )
      }
      if (backup === undefined) {
        await requireEmpty(client, database)
      }
      started.push(backup !== undefined)
    }
    if (manifest.objects && installation.store && !started.some(Boolean)) {
      await requireNoObjects(installation.store, manifest.objects.places, installation.layout)
    }
    await checkParts(manifest, restoring)
    for (const { client } of this.#destinations) {
      await markRestoring(client, manifest.id)
    }
  }

  async #load(): Promise<void> {
    const unloaded: OpenDestination[] = []
    for (const open of this.#destinations) {
      if (!(await isLoaded(open.client))) {
        unloaded.push(open)
      }
    }
    if (unloaded.length === 0) {
      return
    }
    const migrationsOf = (surface: string, table: string) =>
      this.#destinations.find(({ surfaces }) => surfaces.some((name) => name === surface))!.backup
        .migrations[table] ?? []
    await migrate(
      this.app,
      unloaded.flatMap(({ surfaces }) => surfaces),
      migrationsOf
    )
    for (const { client, backup } of unloaded) {
      await loadTables(client, backup, this.context)
    }
  }

  /** Also when resuming: the configuration may have changed. */
  async #restoreObjects(): Promise<RestoreCounts | undefined> {
    const { store, layout } = this.installation
    const { objects } = this.manifest
    const storage = this.#databaseOf('storage')
    if (!objects || !store || !storage) {
      return undefined
    }
    await relocateObjects(storage.client, layout)
    return restoreObjects(store, objects, { ...this.context, layout })
  }

  async #restoreHeads(): Promise<void> {
    const { anchor } = this.installation
    const telemetry = this.#databaseOf('telemetry')
    if (anchor && telemetry) {
      await restoreHeads(anchor, this.manifest.heads, telemetry.client)
    }
  }

  #databaseOf(surface: SurfaceName): OpenDestination | undefined {
    return this.#destinations.find(({ surfaces }) => surfaces.includes(surface))
  }

  get #surfaces() {
    return this.#destinations.flatMap(({ surfaces }) => surfaces)
  }
}

/** Verifies all tables and lists. Objects are verified while they are restored. */
async function checkParts(
  { databases, objects }: Manifest,
  { backupStore, signal, progress }: RestoreContext
): Promise<void> {
  const tables = databases.flatMap((database) => database.tables)
  for (const { part, ...content } of [...tables, ...(objects ? [objects] : [])]) {
    progress(`checking ${part}`)
    await verify(backupStore, part, content, signal)
  }
}
