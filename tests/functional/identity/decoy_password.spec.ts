import { test } from '@japa/runner'

import { Decoy, hashPassword, isPassword } from '#identity/embedded/passwords'

test('a failed decoy hash is created again and blocks no login', async ({ assert, cleanup }) => {
  const { default: hash } = await import('@adonisjs/core/services/hash')
  const stored = await hashPassword('correct horse battery')
  const decoy = new Decoy()
  const { make } = hash
  cleanup(() => void (hash.make = make))
  hash.make = () => Promise.reject(new Error('out of memory'))
  assert.isTrue(await isPassword('correct horse battery', stored, decoy))
  await assert.rejects(() => isPassword('anything', null, decoy), 'out of memory')
  hash.make = make
  assert.isFalse(await isPassword('anything', null, decoy))
})
