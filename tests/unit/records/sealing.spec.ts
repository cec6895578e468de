import { test } from '@japa/runner'

import { seal, unseal } from '#records/sealing'
import { allKinds } from '#tests/helpers/records/all_kinds'

/** These are stored as hashes. */
const HASHED = ['client.secretDigest', 'user.password']

test.group('Sealed values', () => {
  test('values unseal for their purpose only, and differ each time', ({ assert }) => {
    const sealed = seal('registry account', 'Harbor12345')
    assert.notInclude(sealed, 'Harbor12345')
    assert.notEqual(seal('registry account', 'Harbor12345'), sealed)
    assert.equal(unseal('registry account', sealed), 'Harbor12345')
    assert.isNull(unseal('registry hook', sealed))
    assert.isNull(unseal('registry account', 'Harbor12345'))
    assert.isNull(unseal('registry account', null))
  })

  test('every secret of every kind is sealed, and neither filterable nor sortable', ({
    assert,
  }) => {
    for (const { kind } of allKinds) {
      for (const name of kind.secrets) {
        const where = `${kind.name}.${name}`
        assert.equal(kind.columns[name]!.unseal === undefined, HASHED.includes(where), where)
        assert.notInclude(kind.declaration.filters?.allowed ?? [], name, where)
        assert.notInclude(kind.declaration.sorts?.allowed ?? [], name, where)
      }
    }
  })
})
