import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

import type { SurfaceName } from '#configuration/surfaces'
import { ObjectMissing } from '#storage/objects/errors'
import type { Layout } from '#storage/objects/layout'
import type { BackupStore } from './backup_store.js'
import type { ConfigurationNote } from './configuration_note.js'
import { BackupDamaged, BackupRefused } from './errors.js'
import { isMarkOf, isSame, signatureOf, type KeyMark } from './key_mark.js'
import type { PackedContent } from './pack.js'

const FORMAT = 1
const NAME = 'about/manifest.json'

export interface TablePart extends PackedContent {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: number
  /** Of the backup, where the rows stand. */
  readonly part: string
}

export interface DatabasePart {
  /** Whose tables they are: surfaces that share a database are in one part. */
  readonly surfaces: readonly SurfaceName[]
  /** The migrations that had been made, by the table that says so. */
  readonly migrations: Readonly<Record<string, readonly string[]>>
  readonly tables: readonly TablePart[]
  /** The last number that each sequence gave out. */
  readonly sequences: Readonly<Record<string, string>>
}

export interface ObjectsPart extends PackedContent {
  /** The list of all objects. */
  readonly part: string
  readonly kept: number
  readonly keptBytes: number
  /** Objects of files that were not in the object store, and those that are not any more what was uploaded; some of them are named. */
  readonly gone: number
  readonly damaged: number
  readonly named: readonly string[]
  readonly places: readonly { readonly bucketId: string; readonly layout: Layout }[]
}

/** The end of a chain of the audit trail, as it was noted outside of the database. */
export interface AnchoredHead {
  readonly chain: string
  readonly number: number
  readonly digest: string
  readonly signature: string
}

/** What a backup is: written last, so that there is none without it. */
export interface Manifest {
  readonly id: string
  readonly version: string
  readonly beganAt: string
  readonly endedAt: string
  readonly key: KeyMark
  readonly databases: readonly DatabasePart[]
  readonly objects: ObjectsPart | null
  readonly heads: readonly AnchoredHead[]
  readonly configuration: ConfigurationNote
}

export async function writeManifest(
  backupStore: BackupStore,
  manifest: Manifest,
  key: string
): Promise<void> {
  const content = JSON.stringify(manifest)
  const signature = signatureOf(key, manifest.key, content)
  const written = JSON.stringify({ format: FORMAT, manifest, signature }, null, 2)
  await backupStore.put(NAME, Readable.from([Buffer.from(`${written}\n`)]))
}

/** The manifest of a place, which must be that of an installation with this key; undefined where no backup was finished there. */
export async function findManifest(
  backupStore: BackupStore,
  key: string
): Promise<Manifest | undefined> {
  const content = await readManifest(backupStore)
  return content === undefined ? undefined : verify(content, key)
}

async function readManifest(backupStore: BackupStore): Promise<string | undefined> {
  try {
    return await text(await backupStore.read(NAME))
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return undefined
    }
    throw error
  }
}

function verify(content: string, key: string): Manifest {
  const { format, manifest, signature } = parse(content)
  if (format !== FORMAT) {
    throw new BackupRefused(
      `The backup has format ${format}, and this program reads format ${FORMAT}: use the version of the program that made it`
    )
  }
  if (!isMarkOf(key, manifest.key)) {
    throw new BackupRefused(
      'The backup is of an installation with another APP_KEY, and what was sealed with that cannot be read with this one: set the APP_KEY of then'
    )
  }
  if (!isSame(signatureOf(key, manifest.key, JSON.stringify(manifest)), signature)) {
    throw new BackupDamaged(NAME, 'it is not what was signed')
  }
  return manifest
}

function parse(content: string): { format: number; manifest: Manifest; signature: string } {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new BackupDamaged(NAME, 'it is no JSON', error)
  }
}
