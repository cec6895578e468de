import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { ImageKey, KeyUnusable } from '#oci/signing/image_key'
import { configuredKeys, signingKey } from '#oci/signing/own_keys'
import { SigningKey } from '#oci/signing/signing_key'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const SECRET = 'a key of an application, long enough'
const FORMER = 'the key before that one, also long enough'
const BYTES = Buffer.from('what is signed')

const settings = {
  APP_KEY: SECRET,
  APP_KEY_PREVIOUS: [FORMER],
  DATA_DIR: '/nowhere',
  IMAGE_SIGNING_KEY: undefined,
}

test.group('Keys that sign images', () => {
  test('keys are derived from a secret, each from another one', ({ assert }) => {
    const key = SigningKey.derivedFrom(SECRET)
    assert.equal(SigningKey.derivedFrom(SECRET).public.pem, key.public.pem)
    assert.notEqual(SigningKey.derivedFrom(FORMER).public.pem, key.public.pem)
    assert.match(
      key.public.pem,
      /^-----BEGIN PUBLIC KEY-----\n[\w+/=\n]+-----END PUBLIC KEY-----\n$/
    )
  })

  test('keys stay the same in later versions, so that existing signatures remain valid', ({
    assert,
  }) => {
    const { fingerprint } = SigningKey.derivedFrom(SECRET).public
    assert.equal(fingerprint, '5e1548a279f3e51485098db9ca1305a3e5ca4a8214282ae894b1e02b42768a3c')
  })

  test('create signatures that any ECDSA P-256 tool can verify', ({ assert }) => {
    const key = SigningKey.derivedFrom(SECRET)
    const signature = key.sign(BYTES)
    assert.isTrue(verify('sha256', BYTES, createPublicKey(key.public.pem), signature))
    assert.isTrue(key.public.verifies(BYTES, signature))
    assert.isFalse(key.public.verifies(Buffer.from('what is not'), signature))
    assert.isFalse(SigningKey.derivedFrom(FORMER).public.verifies(BYTES, signature))
    assert.isFalse(key.public.verifies(BYTES, Buffer.alloc(0)))
    assert.isFalse(key.public.verifies(BYTES, Buffer.alloc(100_000, 0x30)))
  })

  test('keys can be configured, and are then the only ones', async ({ assert, cleanup }) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const file = join(await temporaryFolder(cleanup), 'images.key')
    for (const type of ['pkcs8', 'sec1'] as const) {
      await writeFile(file, privateKey.export({ type, format: 'pem' }))
      const given = { ...settings, IMAGE_SIGNING_KEY: file }
      const [current, ...others] = configuredKeys(given)
      assert.isTrue(current.verifies(BYTES, signingKey(given).sign(BYTES)))
      assert.lengthOf(others, 0)
      assert.notEqual(current.pem, configuredKeys(settings)[0].pem)
    }
  })

  test('keys are accepted while their application key is listed', ({ assert }) => {
    const keys = configuredKeys(settings)
    const expected = [SECRET, FORMER].map((one) => SigningKey.derivedFrom(one).public.pem)
    assert.deepEqual(
      keys.map(({ pem }) => pem),
      expected
    )
  })

  test('keys of other types are rejected without revealing them', ({ assert }) => {
    const ed25519 = generateKeyPairSync('ed25519')
    const larger = generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    for (const { privateKey, publicKey } of [ed25519, larger, rsa]) {
      const secret = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
      const open = String(publicKey.export({ type: 'spki', format: 'pem' }))
      assert.throws(() => SigningKey.fromPem(secret, 'The file'), KeyUnusable)
      assert.throws(() => ImageKey.from(open), KeyUnusable)
      assert.throws(() => ImageKey.allIn(open), KeyUnusable)
    }
    assert.throws(
      () => SigningKey.fromPem('no key', 'The file'),
      /^The file is not an ECDSA P-256 key/
    )
    assert.throws(
      () => ImageKey.allIn('nothing in it', 'The file'),
      /^The file is not an ECDSA P-256 key/
    )
  })

  test('keys can be concatenated in one file', ({ assert }) => {
    const keys = [SECRET, FORMER].map((one) => SigningKey.derivedFrom(one).public)
    const file = keys.map(({ pem, fingerprint }) => `# ${fingerprint}\n${pem}`).join('')
    assert.deepEqual(
      ImageKey.allIn(file).map(({ fingerprint }) => fingerprint),
      keys.map(({ fingerprint }) => fingerprint)
    )
  })
})
