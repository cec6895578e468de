import { catalogue } from '#configuration/hub_catalogue'
import { newId } from '#kernel/new_id'
import { clock } from '#kernel/clock'
import { VERSION } from '#kernel/version'
import { restorationIn } from '#database/restoration'
import type { BackupStore } from './backup_store.js'
import { configurationNote } from './configuration_note.js'
import { nameOf } from './databases.js'
import { BackupRefused } from './errors.js'
import { readHeads } from './heads.js'
import { noteBackup } from './note_backup.js'
import { ObjectRemovalLock } from './object_removal_lock.js'
import type { Installation } from './installation.js'
import { newKeyMark } from './key_mark.js'
import { findManifest, writeManifest, type Manifest } from './manifest.js'
import { listObjects, takeObjects, type ObjectsToCopy } from '#backup/objects/take_objects'
import { prefixOf, removeOutdated, TABLES } from './remove_outdated.js'
import { Snapshot } from '#backup/tables/snapshot'
import { takeTables, type BackupContext } from '#backup/tables/take_tables'

export interface BackupOptions {
  readonly signal: AbortSignal
  readonly progress: (text: string) => void
}

/**
 * Backs up an installation: the tables of one moment, then the objects of their files. An earlier backup in the store
 * stays valid until this one is complete.
 */
export async function takeBackup(
  installation: Installation,
  backupStore: BackupStore,
  { signal, progress }: BackupOptions
): Promise<Manifest> {
  await findManifest(backupStore, installation.key)
  const disconnected = new AbortController()
  const either = AbortSignal.any([signal, disconnected.signal])
  const id = newBackupId()
  const context: BackupContext = { backupStore, prefix: prefixOf(id), signal: either, progress }
  progress('waiting for running sweeps')
  await backupStore.tidy(TABLES)
  const removalLock = await ObjectRemovalLock.acquire(installation.databases, either, (error) =>
    disconnected.abort(new BackupRefused(`The connection to a database was lost: ${error.message}`))
  )
  try {
    const manifest = await takeAll(installation, id, context)
    either.throwIfAborted()
    await writeManifest(backupStore, manifest, installation.key)
    await removeOutdated(backupStore, manifest, either)
    await noteBackup(installation, manifest)
    return manifest
  } catch (error) {
    disconnected.signal.throwIfAborted()
    throw error
  } finally {
    await removalLock.release()
  }
}

async function takeAll(
  installation: Installation,
  id: string,
  context: BackupContext
): Promise<Manifest> {
  const { anchor, store, key } = installation
  const beganAt = new Date(clock.now()).toISOString()
  const heads = anchor ? await readHeads(anchor) : []
  const { databases, wanted: objectsToCopy } = await takeSnapshots(installation, context)
  const objects = store && objectsToCopy ? await takeObjects(store, objectsToCopy, context) : null
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

/** Takes the snapshots of all databases as close together as possible. */
async function takeSnapshots({ databases }: Installation, context: BackupContext) {
  const snapshots: Snapshot[] = []
  const releaseAll = () => snapshots.forEach((snapshot) => snapshot.release())
  context.signal.addEventListener('abort', releaseAll)
  try {
    for (const database of databases) {
      snapshots.push(await Snapshot.take(database))
      context.signal.throwIfAborted()
    }
    const taken = []
    let objectsToCopy: ObjectsToCopy | undefined
    for (const snapshot of snapshots) {
      await requireNotRestoring(snapshot)
      if (snapshot.surfaces.includes('storage')) {
        objectsToCopy = await listObjects(snapshot, context)
      }
      taken.push(await takeTables(snapshot, context))
      snapshot.release()
    }
    return { databases: taken, wanted: objectsToCopy }
  } finally {
    context.signal.removeEventListener('abort', releaseAll)
    releaseAll()
  }
}

async function requireNotRestoring(snapshot: Snapshot): Promise<void> {
  const restoringId = await restorationIn(snapshot.leader)
  if (restoringId) {
    throw new BackupRefused(
      `The restoration of backup ${restoringId} into the database of ${nameOf(snapshot)} is not finished: finish it first`
    )
  }
}

/** Starts with the time, so that people can tell backups apart. */
function newBackupId(): string {
  const time = new Date(clock.now()).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `${time}-${newId().slice(0, 6)}`
}
