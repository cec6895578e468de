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
  /** Name of the part with the rows. */
  readonly part: string
}

export interface DatabasePart {
  /** Surfaces that share the database. */
  readonly surfaces: readonly SurfaceName[]
  /** Executed migrations by migrations table. */
  readonly migrations: Readonly<Record<string, readonly string[]>>
  readonly tables: readonly TablePart[]
  /** Last value of each sequence. */
  readonly sequences: Readonly<Record<string, string>>
}

export interface ObjectsPart extends PackedContent {
  /** Name of the part with the list of objects. */
  readonly part: string
  readonly kept: number
  readonly keptBytes: number
  /** Number of objects missing in the store. Some are listed in `named`, together with damaged ones. */
  readonly gone: number
  readonly damaged: number
  readonly named: readonly string[]
  readonly places: readonly { readonly bucketId: string; readonly layout: Layout }[]
}

/** The head of an audit chain, as stored outside the database. */
export interface AnchoredHead {
  readonly chain: string
  readonly number: number
  readonly digest: string
  readonly signature: string
}

/** Describes a backup. It is written last, so that an incomplete backup has none. */
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
  const file = JSON.stringify({ format: FORMAT, manifest, signature }, null, 2)
  await backupStore.put(NAME, Readable.from([Buffer.from(`${file}\n`)]))
}

/** Reads and verifies the manifest. Returns undefined if the store has no complete backup. */
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
      `The backup has format ${format}, but this version reads format ${FORMAT}: use the version that wrote it`
    )
  }
  if (!isMarkOf(key, manifest.key)) {
    throw new BackupRefused(
      'The backup was taken with another APP_KEY, and its sealed secrets cannot be read with this one: set the APP_KEY of that time'
    )
  }
  if (!isSame(signatureOf(key, manifest.key, JSON.stringify(manifest)), signature)) {
    throw new BackupDamaged(NAME, 'the signature does not match')
  }
  return manifest
}

function parse(content: string): { format: number; manifest: Manifest; signature: string } {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new BackupDamaged(NAME, 'it is not valid JSON', error)
  }
}
