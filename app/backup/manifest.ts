import { Readable } from 'node:stream'

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
/** Names every table and every bucket: this is enough for a million buckets. */
const MAX_BYTES = 256 * 1024 ** 2

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
    return await boundedText(await backupStore.read(NAME))
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return undefined
    }
    throw error
  }
}

async function boundedText(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) {
      throw new BackupDamaged(NAME, `it has more than ${MAX_BYTES} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function verify(content: string, key: string): Manifest {
  const file = parse(content)
  const { format } = file
  if (format !== FORMAT) {
    throw new BackupRefused(
      `The backup has format ${format}, but this version reads format ${FORMAT}: use the version that wrote it`
    )
  }
  const { manifest, signature } = requireSigned(file)
  if (!isMarkOf(key, manifest.key)) {
    throw new BackupRefused(
      'The backup was made with another APP_KEY, and its sealed secrets cannot be read with this one: set the APP_KEY of that time'
    )
  }
  if (!isSame(signatureOf(key, manifest.key, textOf(manifest)), signature)) {
    throw new BackupDamaged(NAME, 'the signature does not match')
  }
  return manifest
}

/** A manifest as it is in the store. Only its signature proves that this version or a former one wrote the rest. */
interface SignedManifest {
  readonly manifest: Manifest
  readonly signature: string
}

function parse(content: string): Partial<Record<'format' | 'manifest' | 'signature', unknown>> {
  let file: unknown
  try {
    file = JSON.parse(content)
  } catch (error) {
    throw new BackupDamaged(NAME, 'it is not valid JSON', error)
  }
  if (typeof file !== 'object' || file === null) {
    throw new BackupDamaged(NAME, 'it is not a JSON object')
  }
  return file
}

function requireSigned({ manifest, signature }: ReturnType<typeof parse>): SignedManifest {
  const { salt, fingerprint } = (manifest as Partial<Manifest> | null | undefined)?.key ?? {}
  if ([salt, fingerprint, signature].some((value) => typeof value !== 'string')) {
    throw new BackupDamaged(NAME, 'it has no signature')
  }
  return { manifest, signature } as SignedManifest
}

/** Content that is nested too deeply cannot be written, and none that is ours is. */
function textOf(manifest: Manifest): string {
  try {
    return JSON.stringify(manifest)
  } catch (error) {
    throw new BackupDamaged(NAME, 'it is nested too deeply', error)
  }
}
