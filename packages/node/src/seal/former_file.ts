import { diffieHellman } from 'node:crypto'
import type { Transform } from 'node:stream'

import { CHUNK_BYTES, openChunk, Pieces, sealChunk, TEXT_BYTES } from './pieces.js'
import type { SealKeys } from './sealed_bytes.js'

/**
 * The former format of files between nodes: chunks encrypted with the shared secret of both nodes. It is not bound to
 * an analysis, a direction or an order, so it is only for nodes that do not support another.
 */
export function sealFormerFile(keys: SealKeys): Transform {
  const key = diffieHellman(keys)
  return new Pieces(TEXT_BYTES, (text) => (text.length === 0 ? text : sealChunk(text, key)))
}

export function openFormerFile(keys: SealKeys): Transform {
  const key = diffieHellman(keys)
  return new Pieces(CHUNK_BYTES, (chunk) => (chunk.length === 0 ? chunk : openChunk(chunk, key)))
}
