import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { AcceptedKeys } from '#core/image_keys/accepted_keys'
import { coreSettings } from '#core/core_settings'
import { corePool } from '#core/database'
import type { ImageKey } from '#oci/signing/image_key'
import { configuredKeys, signingKey } from '#oci/signing/own_keys'
import { SigningKey } from '#oci/signing/signing_key'
import { env } from '#start/env'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { useSettings } from '#tests/helpers/settings'

interface PublishedKeys {
  readonly fingerprint: string
  readonly publicKey: string
  readonly isCurrent: boolean
}

const keyOf = (secret: string) => SigningKey.derivedFrom(secret.padEnd(40, '.')).public

test.group('The keys of images', (group) => {
  group.each.teardown(async () => void (await corePool().query('delete from image_keys')))

  test('keys are returned to every caller who is logged in, the current one first', async ({
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

  test('keys are removed by a prefix of their fingerprint', async ({ assert }) => {
    const accepted = await app.container.make(AcceptedKeys)
    const former = keyOf('a former one')
    await accepted.store([former])
    assert.isFalse(await accepted.remove('00000000'))
    assert.isTrue(await accepted.remove(former.fingerprint.slice(0, 8)))
    assert.lengthOf(await accepted.all(), 1)
  })

  test('keys outlive their application key, unless it is stolen', async ({ assert, cleanup }) => {
    const [current, former] = [keyOf('the one of now'), keyOf('the one before')]
    const keys = new AcceptedKeys(corePool())
    const configured = (...imageKeys: [ImageKey, ...ImageKey[]]) =>
      useSettings(coreSettings, { imageKeys: () => imageKeys })
    const accepted = async () => (await keys.all()).map(({ fingerprint }) => fingerprint)
    const restore = configured(current, former)
    cleanup(restore)

    assert.deepEqual(await keys.findUnstored(), [former])
    await keys.store(await keys.findUnstored())
    assert.lengthOf(await keys.findUnstored(), 0)
    assert.deepEqual(await accepted(), [current.fingerprint, former.fingerprint])
    configured(current)
    assert.deepEqual(await accepted(), [current.fingerprint, former.fingerprint])

    configured(current, former)
    await keys.removeFormer()
    assert.deepEqual(await accepted(), [current.fingerprint, former.fingerprint])
    configured(current)
    assert.deepEqual(await accepted(), [current.fingerprint])
  })
})
