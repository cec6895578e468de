import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'

import type { AssignedAnalysis, Participant } from '#node/analyses/assigned_analysis'
import { readEnvelope, sealedForAll } from '#node/seal/envelope'
import { SealBroken } from '#node/errors'
import { KeyPair, publicKeyIn } from '#node/seal/key_pair'
import { openFile, sealFile } from '#node/seal/sealed_file'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const MIB = 1024 ** 2
const OVERHEAD = 12 + 16
const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

async function through(bytes: Buffer, transform: Transform): Promise<Buffer> {
  const source = Readable.from(piecesOf(bytes))
  source.on('error', (error) => transform.destroy(error))
  return buffer(source.pipe(transform))
}

/** Pieces whose size has nothing to do with that of the chunks. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += 300_001) {
    yield bytes.subarray(start, start + 300_001)
  }
}

test.group('A sealed file', () => {
  const sender = keyPair()
  const recipient = keyPair()
  const sealing = { privateKey: sender.privateKey, publicKey: recipient.publicKey }
  const opening = { privateKey: recipient.privateKey, publicKey: sender.publicKey }

  test('of {size} bytes opens for its recipient')
    .with([0, 1, MIB - OVERHEAD, MIB - OVERHEAD + 1, 3 * MIB].map((size) => ({ size })))
    .run(async ({ assert }, { size }) => {
      const bytes = randomBytes(size)
      const sealed = await through(bytes, sealFile(sealing))
      const chunks = Math.ceil(size / (MIB - OVERHEAD))
      assert.lengthOf(sealed, size + chunks * OVERHEAD)
      const opened = await through(sealed, openFile(opening))
      assert.isTrue(opened.equals(bytes))
    })

  test('does not open when a byte of its second chunk was changed', async ({ assert }) => {
    const sealed = await through(randomBytes(2 * MIB), sealFile(sealing))
    sealed[MIB + 100]! ^= 1
    await assert.rejects(() => through(sealed, openFile(opening)), SealBroken)
  })

  test('does not open for another node', async ({ assert }) => {
    const sealed = await through(Buffer.from('text'), sealFile(sealing))
    const other = { ...opening, privateKey: keyPair().privateKey }
    await assert.rejects(() => through(sealed, openFile(other)), SealBroken)
  })
})

test.group('A file that is sealed for all nodes', () => {
  test('opens for each of them, and for no other', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    const keys = await Promise.all(
      ['one', 'two', 'three'].map((name) => KeyPair.open(join(folder, name)))
    )
    const [one, two, three] = keys.map((pair, index) => participant(`node-${index}`, pair))
    const at = (self: Participant): AssignedAnalysis => ({
      id: 'a1',
      projectId: 'p1',
      self,
      participants: [one!, two!],
    })
    const text = randomBytes(MIB + 5)
    const { header, sealing } = sealedForAll(randomBytes(32), at(one!), keys[0]!)
    const sealed = Buffer.concat([Buffer.from(header), await through(text, sealing)])
    const read = async (self: Participant, pair: KeyPair) =>
      buffer(await readEnvelope(Readable.from(piecesOf(sealed)), at(self), pair))

    assert.isTrue((await read(one!, keys[0]!)).equals(text))
    assert.isTrue((await read(two!, keys[1]!)).equals(text))
    await assert.rejects(() => read(three!, keys[2]!), SealBroken)
  })

  test('without an envelope is refused', async ({ assert, cleanup }) => {
    const pair = await KeyPair.open(join(await temporaryFolder(cleanup), 'key'))
    const self = participant('node', pair)
    const analysis = { id: 'a1', projectId: 'p1', self, participants: [self] }
    await assert.rejects(
      () => readEnvelope(Readable.from([Buffer.from('plain text')]), analysis, pair),
      SealBroken
    )
  })
})

function participant(nodeId: string, pair: KeyPair): Participant {
  const publicKey = publicKeyIn(pair.publicKeyText)
  return { nodeId, nodeType: 'default', clientId: `client-${nodeId}`, publicKey }
}
