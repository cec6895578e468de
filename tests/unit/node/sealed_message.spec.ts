import { createPublicKey, generateKeyPairSync } from 'node:crypto'

import { test } from '@japa/runner'

import { SealBroken } from '#node/errors'
import { openMessage, sealMessage } from '#node/seal/sealed_message'

const CONTEXT = { messageId: 'm1', analysisId: 'a1' }

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

test.group('A sealed message', () => {
  const sender = keyPair()
  const recipient = keyPair()
  const sealing = { privateKey: sender.privateKey, publicKey: recipient.publicKey }
  const opening = { privateKey: recipient.privateKey, publicKey: sender.publicKey }

  test('a message opens for its recipient', ({ assert }) => {
    const sealed = sealMessage('{"step":1}', sealing, CONTEXT)
    assert.equal(openMessage(sealed, opening, CONTEXT), '{"step":1}')
  })

  test('a message does not contain its text, and differs each time', ({ assert }) => {
    const sealed = sealMessage('the text', sealing, CONTEXT)
    assert.notInclude(Buffer.from(sealed, 'base64').toString('latin1'), 'the text')
    assert.notEqual(sealed, sealMessage('the text', sealing, CONTEXT))
  })

  test('a message is salt, initialization vector, ciphertext and tag', ({ assert }) => {
    const bytes = Buffer.from(sealMessage('12345', sealing, CONTEXT), 'base64')
    assert.lengthOf(bytes, 32 + 12 + 5 + 16)
  })

  test('a message does not open for {what}')
    .with([
      { what: 'another recipient', keys: { ...opening, privateKey: keyPair().privateKey } },
      { what: 'another sender', keys: { ...opening, publicKey: keyPair().publicKey } },
      { what: 'another message', context: { ...CONTEXT, messageId: 'm2' } },
      { what: 'another analysis', context: { ...CONTEXT, analysisId: 'a2' } },
    ])
    .run(({ assert }, { keys = opening, context = CONTEXT }) => {
      const sealed = sealMessage('text', sealing, CONTEXT)
      assert.throws(() => openMessage(sealed, keys, context), SealBroken)
    })

  test('a message does not open when any byte was changed', ({ assert }) => {
    const sealed = Buffer.from(sealMessage('text', sealing, CONTEXT), 'base64')
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed)
      changed[index]! ^= 1
      assert.throws(() => openMessage(changed.toString('base64'), opening, CONTEXT), SealBroken)
    }
  })

  test('that is too short does not open', ({ assert }) => {
    assert.throws(() => openMessage('AAAA', opening, CONTEXT), SealBroken)
  })

  test('a message can be opened with a public key that was read from its PEM', ({ assert }) => {
    const pem = sender.publicKey.export({ type: 'spki', format: 'pem' })
    const sealed = sealMessage('text', sealing, CONTEXT)
    const keys = { ...opening, publicKey: createPublicKey(pem) }
    assert.equal(openMessage(sealed, keys, CONTEXT), 'text')
  })
})
