import { randomUUID } from 'node:crypto'
import type { Readable, Transform } from 'node:stream'

import { participantAt, type AssignedAnalysis } from '#node/analyses/assigned_analysis'
import { SealBroken } from '#node/errors'
import type { KeyPair } from './key_pair.js'
import { openChunks, sealChunks } from './sealed_file.js'
import { openMessage, sealMessage } from './sealed_message.js'

const MAGIC = 'hub-envelope/1\n'
const MAX_HEADER_BYTES = 1024 ** 2

/** The first lines of a file that several nodes can open: who sealed it, and its key, sealed for each of them. */
interface Envelope {
  readonly id: string
  readonly from: string
  readonly keys: Readonly<Record<string, string>>
}

/** The header and the cipher of a file for all nodes of an analysis that have published a key. */
export function sealedForAll(
  fileKey: Buffer,
  analysis: AssignedAnalysis,
  keys: KeyPair
): { header: string; sealing: Transform } {
  const id = randomUUID()
  const context = { messageId: id, analysisId: analysis.id }
  const sealedKeys = analysis.participants.flatMap(({ nodeId, publicKey }) =>
    publicKey
      ? [
          [
            nodeId,
            sealMessage(
              fileKey.toString('hex'),
              { privateKey: keys.privateKey, publicKey },
              context
            ),
          ],
        ]
      : []
  )
  const envelope: Envelope = {
    id,
    from: analysis.self.nodeId,
    keys: Object.fromEntries(sealedKeys) as Envelope['keys'],
  }
  return { header: `${MAGIC}${JSON.stringify(envelope)}\n`, sealing: sealChunks(fileKey) }
}

/** The content of a file with an envelope. */
export async function readEnvelope(
  bytes: Readable,
  analysis: AssignedAnalysis,
  keys: KeyPair
): Promise<Readable> {
  const envelope = await headerOf(bytes)
  const publicKey = participantAt(analysis, envelope.from)?.publicKey
  const sealedKey = envelope.keys[analysis.self.nodeId]
  if (!publicKey || !sealedKey) {
    throw new SealBroken('The file was not sealed by a node of this analysis for this node')
  }
  const context = { messageId: envelope.id, analysisId: analysis.id }
  const fileKey = openMessage(sealedKey, { privateKey: keys.privateKey, publicKey }, context)
  const opening = openChunks(Buffer.from(fileKey, 'hex'))
  bytes.on('error', (error) => opening.destroy(error))
  return bytes.pipe(opening)
}

async function headerOf(bytes: Readable): Promise<Envelope> {
  let text = Buffer.alloc(0)
  while (text.length < MAX_HEADER_BYTES) {
    const chunk = await nextChunk(bytes)
    if (!chunk) {
      break
    }
    text = Buffer.concat([text, chunk])
    const end = text.indexOf('\n', MAGIC.length)
    if (end >= 0) {
      bytes.unshift(text.subarray(end + 1))
      return envelopeIn(text.subarray(0, end).toString('utf8'))
    }
  }
  throw new SealBroken('The file has no envelope: name the node that sealed it')
}

function envelopeIn(text: string): Envelope {
  if (!text.startsWith(MAGIC)) {
    throw new SealBroken('The file has no envelope: name the node that sealed it')
  }
  try {
    return JSON.parse(text.slice(MAGIC.length)) as Envelope
  } catch (error) {
    throw new SealBroken('The envelope of the file is damaged', error)
  }
}

async function nextChunk(bytes: Readable): Promise<Buffer | undefined> {
  const chunk = bytes.read() as Buffer | null
  if (chunk || bytes.readableEnded) {
    return chunk ?? undefined
  }
  return new Promise((resolve, reject) => {
    const settle = () => {
      bytes.off('readable', settle).off('end', settle).off('error', reject)
      resolve((bytes.read() as Buffer | null) ?? undefined)
    }
    bytes.once('readable', settle).once('end', settle).once('error', reject)
  })
}
