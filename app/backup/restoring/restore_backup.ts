import type { ApplicationService } from '@adonisjs/core/types'

import { BackupClient } from '#backup/backup_client'
import { nameOf } from '#backup/databases'
import { BackupRefused } from '#backup/errors'
import { returnHeads } from '#backup/heads'
import type { Installation } from '#backup/installation'
import { findManifest, type Manifest } from '#backup/manifest'
import { check } from '#backup/packed'
import type { SurfaceName } from '#configuration/surfaces'
import { restorationIn } from '#database/restoration'
import { migrate } from '#database/migrator'
import { destinationsOf, requireEmpty, requireNoObjects, type Destination } from './requirements.js'
import { isLoaded, mark, unmark } from './mark.js'
import { relocate } from './relocate.js'
import { loadTables, type Restoring } from './load_tables.js'
import { returnObjects, type Returned } from './return_objects.js'

export interface Restored {
  readonly manifest: Manifest
  readonly objects: Returned | undefined
  /** Migrations that were made since the backup. */
  readonly migrations: readonly string[]
}

/** Brings a backup back into an empty installation. One that was interrupted goes on when it is asked for once more. */
export async function restoreBackup(
  app: ApplicationService,
  installation: Installation,
  restoring: Restoring
): Promise<Restored> {
  const manifest = await findManifest(restoring.place, installation.key)
  if (!manifest) {
    throw new BackupRefused('There is no finished backup in this place')
  }
  const restoration = new Restoration(app, installation, manifest, restoring)
  try {
    return await restoration.run()
  } finally {
    restoration.end()
  }
}

interface Open extends Destination {
  readonly client: BackupClient
}

class Restoration {
  readonly #open: Open[] = []

  constructor(
    readonly app: ApplicationService,
    readonly installation: Installation,
    readonly manifest: Manifest,
    readonly restoring: Restoring
  ) {
    restoring.signal.addEventListener('abort', () => this.end())
  }

  async run(): Promise<Restored> {
    const { app, manifest, installation, restoring } = this
    for (const destination of destinationsOf(installation, manifest)) {
      this.#open.push({ ...destination, client: await BackupClient.open(destination.url) })
    }
    await this.#require()
    await this.#load()
    const objects = await this.#returnObjects()
    await this.#returnHeads()
    const migrations = await migrate(app, this.#surfaces)
    restoring.signal.throwIfAborted()
    for (const { client } of this.#open) {
      await unmark(client)
    }
    return { manifest, objects, migrations }
  }

  end(): void {
    this.#open.forEach(({ client }) => client.cutOff())
  }

  /** Everything that speaks against it is found before anything is written. */
  async #require(): Promise<void> {
    const { manifest, installation, restoring } = this
    const begun: boolean[] = []
    for (const { client, ...database } of this.#open) {
      const backup = await restorationIn(client)
      if (backup !== undefined && backup !== manifest.id) {
        throw new BackupRefused(
          `Backup ${backup} is being restored into the database of ${nameOf(database)}, and this is ${manifest.id}: finish that one, or make a new database`
        )
      }
      if (backup === undefined) {
        await requireEmpty(client, database)
      }
      begun.push(backup !== undefined)
    }
    if (manifest.objects && installation.store && !begun.some(Boolean)) {
      await requireNoObjects(installation.store, manifest.objects.places, installation.layout)
    }
    await checkParts(manifest, restoring)
    for (const { client } of this.#open) {
      await mark(client, manifest.id)
    }
  }

  async #load(): Promise<void> {
    const waiting: Open[] = []
    for (const open of this.#open) {
      if (!(await isLoaded(open.client))) {
        waiting.push(open)
      }
    }
    if (waiting.length === 0) {
      return
    }
    const made = (surface: string, table: string) =>
      this.#open.find(({ surfaces }) => surfaces.some((name) => name === surface))!.backup
        .migrations[table] ?? []
    await migrate(
      this.app,
      waiting.flatMap(({ surfaces }) => surfaces),
      made
    )
    for (const { client, backup } of waiting) {
      await loadTables(client, backup, this.restoring)
    }
  }

  /** Also where it goes on: the configuration may have changed since. */
  async #returnObjects(): Promise<Returned | undefined> {
    const { store, layout } = this.installation
    const { objects } = this.manifest
    const storage = this.#databaseOf('storage')
    if (!objects || !store || !storage) {
      return undefined
    }
    await relocate(storage.client, layout)
    return returnObjects(store, objects, { ...this.restoring, layout })
  }

  async #returnHeads(): Promise<void> {
    const { anchor } = this.installation
    const telemetry = this.#databaseOf('telemetry')
    if (anchor && telemetry) {
      await returnHeads(anchor, this.manifest.heads, telemetry.client)
    }
  }

  #databaseOf(surface: SurfaceName): Open | undefined {
    return this.#open.find(({ surfaces }) => surfaces.includes(surface))
  }

  get #surfaces() {
    return this.#open.flatMap(({ surfaces }) => surfaces)
  }
}

/** Reads all tables and lists of a backup; objects are compared on their way. */
export async function checkParts(
  { databases, objects }: Manifest,
  { place, signal, progress }: Restoring
): Promise<void> {
  const tables = databases.flatMap((database) => database.tables)
  for (const { part, ...content } of [...tables, ...(objects ? [objects] : [])]) {
    progress(`checking ${part}`)
    await check(place, part, content, signal)
  }
}
