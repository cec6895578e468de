import { createCipheriv, createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { SealBroken } from '#node/errors'
import { readHeader } from '#node/seal/file_header'
import { publicKeyIn } from '#node/seal/key_pair'
import { openBytes, sealBytes } from '#node/seal/sealed_bytes'
import { openSealedFile, SealedFile } from '#node/seal/sealed_file'

interface VectorNode {
  readonly nodeId: string
  readonly privateKey: string
  readonly publicKey: string
}

interface Vectors {
  readonly nodes: { readonly sender: VectorNode; readonly recipient: VectorNode }
  readonly files: readonly {
    readonly name: string
    readonly analysisId: string
    readonly file: string
    readonly text: string | null
  }[]
  readonly chunks: {
    readonly textBytes: number
    readonly fileKey: string
    readonly nonces: readonly string[]
    readonly digest: string
  }
}

const PATH = new URL('../../../docs/sealed-files.json', import.meta.url)
const { nodes, files, chunks } = JSON.parse(await readFile(PATH, 'utf8')) as Vectors
const TEXT_BYTES = 1024 ** 2 - 28
const senderId = nodes.sender.nodeId
const recipientId = nodes.recipient.nodeId
const privateKeyOf = ({ privateKey }: VectorNode): KeyObject =>
  createPrivateKey({ key: Buffer.from(privateKey, 'hex'), format: 'der', type: 'pkcs8' })
const sealing = {
  privateKey: privateKeyOf(nodes.sender),
  publicKey: publicKeyIn(nodes.recipient.publicKey)!,
}
const opening = {
  privateKey: privateKeyOf(nodes.recipient),
  publicKey: publicKeyIn(nodes.sender.publicKey)!,
}

async function opened(file: Buffer, analysisId: string): Promise<Buffer> {
  const bytes = Readable.from([file])
  const { id: fileId, from, keys } = (await readHeader(bytes))!
  const context = { fileId, analysisId, senderId: from, recipientId }
  return buffer(bytes.pipe(openSealedFile(keys[recipientId]!, opening, context)))
}

test.group('The published vectors of sealed files', () => {
  for (const { name, analysisId, file, text } of files) {
    test(`${name}: ${text === null ? 'does not open' : 'opens'}`, async ({ assert }) => {
      const opens = opened(Buffer.from(file, 'base64'), analysisId)
      if (text === null) {
        await assert.rejects(() => opens, SealBroken)
      } else {
        assert.equal((await opens).toString('base64'), text)
      }
    })
  }

  test('a file of two chunks opens', async ({ assert }) => {
    const key = Buffer.from(chunks.fileKey, 'hex')
    const text = Buffer.from(Uint8Array.from({ length: chunks.textBytes }, (_, n) => n % 251))
    const sealed = Buffer.concat(
      chunks.nonces.map((nonce, index) => {
        const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(nonce, 'hex'))
        const isLast = index === chunks.nonces.length - 1
        cipher.setAAD(Buffer.from([0, 0, 0, 0, 0, 0, 0, index, isLast ? 1 : 0]))
        const piece = text.subarray(index * TEXT_BYTES, (index + 1) * TEXT_BYTES)
        const ciphertext = Buffer.concat([cipher.update(piece), cipher.final()])
        return Buffer.concat([Buffer.from(nonce, 'hex'), ciphertext, cipher.getAuthTag()])
      })
    )
    const digest = createHash('sha256').update(sealed).digest()
    assert.equal(digest.toString('hex'), chunks.digest)
    const context = { fileId: 'file', analysisId: 'analysis', senderId, recipientId }
    const info = `hub-seal/2\nfile\nanalysis\n${senderId}\n${recipientId}`
    const sealedKey = sealBytes(Buffer.concat([key, digest]), sealing, info).toString('base64')
    const whole = Readable.from([sealed]).pipe(openSealedFile(sealedKey, opening, context))
    assert.isTrue((await buffer(whole)).equals(text))
  })
})

test.group('A sealed file', () => {
  test('a file is not replaced by a recipient, who knows its key, in the name of the sender', async ({
    assert,
  }) => {
    const file = new SealedFile()
    await buffer(Readable.from([Buffer.from('the rows of the sender')]).pipe(file.chunks))
    const recipients = [{ nodeId: recipientId, publicKey: sealing.publicKey }]
    const header = file.header({ analysisId: 'X', senderId }, sealing.privateKey, recipients)
    const { id, keys } = (await readHeader(Readable.from([Buffer.from(header)])))!
    const info = `hub-seal/2\n${id}\nX\n${senderId}\n${recipientId}`
    const content = openBytes(Buffer.from(keys[recipientId]!, 'base64'), opening, info, 'broken')
    const cipher = createCipheriv('aes-256-gcm', content.subarray(0, 32), Buffer.alloc(12))
    cipher.setAAD(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1]))
    const forged = Buffer.concat([cipher.update('rows of another'), cipher.final()])
    const chunk = Buffer.concat([Buffer.alloc(12), forged, cipher.getAuthTag()])
    await assert.rejects(
      () => opened(Buffer.concat([Buffer.from(header), chunk]), 'X'),
      SealBroken,
      /other chunks/
    )
  })
})
