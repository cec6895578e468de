import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { AcceptedKeys } from '#core/image_keys/accepted_keys'
import { corePool } from '#core/database'
import { configuredKeys, signingKey } from '#oci/signing/own_keys'
import { SigningKey } from '#oci/signing/signing_key'
import { env } from '#start/env'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'

interface PublishedKeys {
  readonly fingerprint: string
  readonly publicKey: string
  readonly isCurrent: boolean
}

const keyOf = (secret: string) => SigningKey.derivedFrom(secret.padEnd(40, '.')).public

test.group('The keys of images', (group) => {
  group.each.teardown(async () => void (await corePool().query('delete from image_keys')))

  test('are returned to every caller who is logged in, the current one first', async ({
    assert,
  }) => {
    const accepted = await app.container.make(AcceptedKeys)
    const [current] = configuredKeys(env)
    const former = [keyOf('a former one'), keyOf('one before that')]
    assert.equal(await accepted.store([...former, current]), 3)
    assert.equal(await accepted.store(former), 0)

    assert.equal((await fetch(at('core', '/image-keys'))).status, 401)
    const headers = { authorization: `Bearer ${identity().token}` }
    const response = await fetch(at('core', '/image-keys'), { headers })
    assert.equal(response.status, 200)
    const { data } = (await response.json()) as { data: PublishedKeys[] }
    assert.deepEqual(data[0], {
      fingerprint: current.fingerprint,
      publicKey: signingKey(env).public.pem,
      isCurrent: true,
    })
    assert.sameDeepMembers(
      data.slice(1),
      former.map(({ fingerprint, pem }) => ({ fingerprint, publicKey: pem, isCurrent: false }))
    )
  })

  test('are removed by a prefix of their fingerprint', async ({ assert }) => {
    const accepted = await app.container.make(AcceptedKeys)
    const former = keyOf('a former one')
    await accepted.store([former])
    assert.isFalse(await accepted.remove('00000000'))
    assert.isTrue(await accepted.remove(former.fingerprint.slice(0, 8)))
    assert.lengthOf(await accepted.all(), 1)
  })

  test('outlive their application key, unless it is stolen', async ({ assert }) => {
    const [current, former] = [keyOf('the one of now'), keyOf('the one before')]
    const during = new AcceptedKeys(corePool(), () => [current, former])
    const after = new AcceptedKeys(corePool(), () => [current])
    const fingerprintsOf = async (keys: AcceptedKeys) =>
      (await keys.all()).map(({ fingerprint }) => fingerprint)

    assert.deepEqual(await during.findUnstored(), [former])
    await during.store(await during.findUnstored())
    assert.lengthOf(await during.findUnstored(), 0)
    assert.deepEqual(await fingerprintsOf(during), [current.fingerprint, former.fingerprint])
    assert.deepEqual(await fingerprintsOf(after), [current.fingerprint, former.fingerprint])

    await during.removeFormer()
    assert.deepEqual(await fingerprintsOf(during), [current.fingerprint, former.fingerprint])
    assert.deepEqual(await fingerprintsOf(after), [current.fingerprint])
  })
})
