import { markReleasable } from '#kernel/chunk_memory'
import { padding, tarEnd, tarHeader, type TarFile } from '#kernel/tar_header'

import { LayerEntryInvalid } from '#oci/errors'
import type { LayerEntry, LayerFile } from './layer_entries.js'

const CHUNK_BYTES = 256 * 1024
const EPOCH = new Date(0)
const FILE_MODE = 0o644
const FOLDER_MODE = 0o755
const LINK_MODE = 0o777

interface TarOptions {
  /** The time of all entries; none by default. */
  readonly modifiedAt?: Date
}

/** Creates a layer tar, in chunks of useful size. It contains no hosts or users, and no other times. */
export async function* layerTar(
  entries: Iterable<LayerEntry> | AsyncIterable<LayerEntry>,
  { modifiedAt = EPOCH }: TarOptions = {}
): AsyncGenerator<Uint8Array, void, undefined> {
  let buffered: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of entryBytes(entries, modifiedAt)) {
    buffered.push(chunk)
    bytes += chunk.byteLength
    if (bytes >= CHUNK_BYTES) {
      yield buffered.length === 1 ? chunk : markReleasable(Buffer.concat(buffered))
      buffered = []
      bytes = 0
    }
  }
  yield Buffer.concat(buffered)
}

async function* entryBytes(
  entries: Iterable<LayerEntry> | AsyncIterable<LayerEntry>,
  modifiedAt: Date
): AsyncGenerator<Uint8Array, void, undefined> {
  const header = (entry: Omit<TarFile, 'modifiedAt'>): Buffer => tarHeader({ ...entry, modifiedAt })
  for await (const entry of entries) {
    if ('isFolder' in entry) {
      const { path, mode = FOLDER_MODE, owner = 0 } = entry
      yield header({ path: `${path}/`, size: 0, mode, owner, isFolder: true })
    } else if ('target' in entry) {
      yield header({ ...entry, size: 0, mode: LINK_MODE })
    } else {
      const { path, size, mode = FILE_MODE } = entry
      yield header({ path, size, mode })
      yield* contentOf(entry)
      yield padding(entry.size)
    }
  }
  yield tarEnd()
}

/** A wrong size would shift the following entries. */
async function* contentOf(file: LayerFile): AsyncGenerator<Uint8Array, void, undefined> {
  const opened = await file.open()
  let remaining = file.size
  for await (const chunk of opened instanceof Uint8Array ? [opened] : opened) {
    remaining -= chunk.byteLength
    if (remaining < 0) {
      break
    }
    yield chunk
  }
  if (remaining !== 0) {
    const actual = remaining < 0 ? 'more' : `${file.size - remaining}`
    throw new LayerEntryInvalid(
      `${JSON.stringify(file.path.slice(0, 300))} should have ${file.size} bytes, but has ${actual}`
    )
  }
}
