import { passOn } from '#kernel/passing_bytes'
import { padding, tarEnd, tarHeader } from '#kernel/tar_header'

import { LayerEntryInvalid } from '#oci/errors'
import type { LayerEntry, LayerFile } from './layer_entries.js'

const PIECE_BYTES = 256 * 1024
const NO_TIME = new Date(0)
const FILE_MODE = 0o644
const FOLDER_MODE = 0o755

/** The tar of a layer, in pieces worth passing on. Nothing in it tells when, where or by whom it was made. */
export async function* layerTar(
  entries: Iterable<LayerEntry> | AsyncIterable<LayerEntry>
): AsyncGenerator<Uint8Array, void, undefined> {
  let small: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces(entries)) {
    small.push(piece)
    bytes += piece.byteLength
    if (bytes >= PIECE_BYTES) {
      yield small.length === 1 ? piece : passOn(Buffer.concat(small))
      small = []
      bytes = 0
    }
  }
  yield Buffer.concat(small)
}

async function* pieces(
  entries: Iterable<LayerEntry> | AsyncIterable<LayerEntry>
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const entry of entries) {
    if ('isFolder' in entry) {
      yield header(`${entry.path}/`, 0, FOLDER_MODE, true)
    } else {
      yield header(entry.path, entry.size, entry.mode ?? FILE_MODE, false)
      yield* contentOf(entry)
      yield padding(entry.size)
    }
  }
  yield tarEnd()
}

/** What follows would be taken for the rest of a file that is too short, and the rest of one that is too long for a file. */
async function* contentOf(file: LayerFile): AsyncGenerator<Uint8Array, void, undefined> {
  const opened = await file.open()
  let left = file.size
  for await (const piece of opened instanceof Uint8Array ? [opened] : opened) {
    left -= piece.byteLength
    if (left < 0) {
      break
    }
    yield piece
  }
  if (left !== 0) {
    const found = left < 0 ? 'more' : `${file.size - left}`
    throw new LayerEntryInvalid(
      `${JSON.stringify(file.path.slice(0, 300))} should have ${file.size} bytes, and has ${found}`
    )
  }
}

const header = (path: string, size: number, mode: number, isFolder: boolean): Buffer =>
  tarHeader({ path, size, mode, isFolder, modifiedAt: NO_TIME })
