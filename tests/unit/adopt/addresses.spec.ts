import { test } from '@japa/runner'

import { addressesFrom } from '#adopt/former/addresses'
import { AdoptionRefused } from '#adopt/adoption_refused'

const NO_SETTINGS = {
  FORMER_CORE_DATABASE_URL: undefined,
  FORMER_STORAGE_DATABASE_URL: undefined,
  FORMER_TELEMETRY_DATABASE_URL: undefined,
  FORMER_MESSENGER_DATABASE_URL: undefined,
  FORMER_DATABASE_PASSWORD: undefined,
}

test.group('Addresses of former databases', () => {
  test('addresses are given one by one, or with a placeholder for the service', ({ assert }) => {
    assert.deepEqual(
      addressesFrom(
        ['core=postgres://reader@db/core', 'storage=mysql://reader@db/files'],
        NO_SETTINGS
      ),
      {
        core: 'postgres://reader@db/core',
        storage: 'mysql://reader@db/files',
      }
    )
    assert.deepEqual(addressesFrom(['mysql://reader@db/hub_{service}'], NO_SETTINGS), {
      core: 'mysql://reader@db/hub_core',
      storage: 'mysql://reader@db/hub_storage',
      telemetry: 'mysql://reader@db/hub_telemetry',
      messenger: 'mysql://reader@db/hub_messenger',
    })
  })

  for (const [what, named, content] of [
    [
      'a password',
      'core=postgres://reader:hidden@db/core',
      'Other users of the machine can see a password',
    ],
    ['no service', 'postgres://reader:hidden@db/core', 'names no service'],
    ['another protocol', 'core=http://db/core', 'is not a database address'],
    ['no address', 'core=db', 'is not a database address'],
  ] as const) {
    test(`addresses are rejected with ${what}, which is not repeated`, ({ assert }) => {
      try {
        addressesFrom([named], NO_SETTINGS)
        assert.fail('it was taken')
      } catch (error) {
        assert.instanceOf(error, AdoptionRefused)
        assert.include((error as AdoptionRefused).message, content)
        assert.notInclude((error as AdoptionRefused).message, 'hidden')
      }
    })
  }

  test('addresses are required', ({ assert }) => {
    assert.throws(() => addressesFrom([], NO_SETTINGS), /FORMER_CORE_DATABASE_URL/)
  })
})
