import { catalogue } from '#start/env'
import { newId } from '#kernel/new_id'
import { clock } from '#kernel/clock'
import { VERSION } from '#kernel/version'
import { restorationIn } from '#database/restoration'
import type { BackupPlace } from './backup_place.js'
import { configurationNote } from './configuration_note.js'
import { nameOf } from './databases.js'
import { BackupRefused } from './errors.js'
import { noteHeads } from './heads.js'
import { HeldObjects } from './held_objects.js'
import type { Installation } from './installation.js'
import { newKeyMark } from './key_mark.js'
import { findManifest, writeManifest, type Manifest } from './manifest.js'
import { listObjects, takeObjects, type Wanted } from '#backup/objects/take_objects'
import { prefixOf, removeOutdated, TABLES } from './outdated.js'
import { Snapshot } from '#backup/tables/snapshot'
import { takeTables, type Taking } from '#backup/tables/take_tables'

export interface BackupOptions {
  readonly signal: AbortSignal
  readonly progress: (said: string) => void
}

/**
 * Takes everything that an installation keeps to a place: its tables as of one moment, then the objects of the files in them. What
 * the place had before stays its backup until this one is complete.
 */
export async function takeBackup(
  installation: Installation,
  place: BackupPlace,
  { signal, progress }: BackupOptions
): Promise<Manifest> {
  await findManifest(place, installation.key)
  const lost = new AbortController()
  const either = AbortSignal.any([signal, lost.signal])
  const id = newBackupId()
  const taking: Taking = { place, prefix: prefixOf(id), signal: either, progress }
  progress('waiting for sweeps that remove objects')
  await place.tidy(TABLES)
  const held = await HeldObjects.hold(installation.databases, either, (error) =>
    lost.abort(new BackupRefused(`The connection to a database broke: ${error.message}`))
  )
  try {
    const manifest = await takeAll(installation, id, taking)
    either.throwIfAborted()
    await writeManifest(place, manifest, installation.key)
    await removeOutdated(place, manifest, either)
    return manifest
  } catch (error) {
    lost.signal.throwIfAborted()
    throw error
  } finally {
    await held.release()
  }
}

async function takeAll(installation: Installation, id: string, taking: Taking): Promise<Manifest> {
  const { anchor, store, key } = installation
  const beganAt = new Date(clock.now()).toISOString()
  const heads = anchor ? await noteHeads(anchor) : []
  const { databases, wanted } = await takeSnapshots(installation, taking)
  const objects = store && wanted ? await takeObjects(store, wanted, taking) : null
  return {
    id,
    version: VERSION,
    beganAt,
    endedAt: new Date(clock.now()).toISOString(),
    key: newKeyMark(key),
    databases,
    objects,
    heads,
    configuration: configurationNote(catalogue.groups, process.env),
  }
}

/** All databases are looked at as of the same moment, as far as that can be. */
async function takeSnapshots({ databases }: Installation, taking: Taking) {
  const snapshots: Snapshot[] = []
  const releaseAll = () => snapshots.forEach((snapshot) => snapshot.release())
  taking.signal.addEventListener('abort', releaseAll)
  try {
    for (const database of databases) {
      snapshots.push(await Snapshot.take(database))
      taking.signal.throwIfAborted()
    }
    const taken = []
    let wanted: Wanted | undefined
    for (const snapshot of snapshots) {
      await requireWhole(snapshot)
      if (snapshot.surfaces.includes('storage')) {
        wanted = await listObjects(snapshot, taking)
      }
      taken.push(await takeTables(snapshot, taking))
      snapshot.release()
    }
    return { databases: taken, wanted }
  } finally {
    taking.signal.removeEventListener('abort', releaseAll)
    releaseAll()
  }
}

async function requireWhole(snapshot: Snapshot): Promise<void> {
  const restored = await restorationIn(snapshot.leader)
  if (restored) {
    throw new BackupRefused(
      `The restoration of backup ${restored} into the database of ${nameOf(snapshot)} was not finished: do that first`
    )
  }
}

/** Ids begin with the time, so that people can tell them apart. */
function newBackupId(): string {
  const time = new Date(clock.now()).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `${time}-${newId().slice(0, 6)}`
}
