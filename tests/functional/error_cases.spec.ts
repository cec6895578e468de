import { test } from '@japa/runner'

import { knownRealms } from '#tests/functional/identity/known_realms'
import { canPlay, headersOf, type ValidActor } from '#tests/helpers/actors'
import { at } from '#tests/helpers/application'
import { awaitedBy, isServed, occurs, send, unmetIssues } from '#tests/helpers/http/error_cases'
import { ErrorFixture } from '#tests/helpers/http/error_fixture'
import { readErrorCases, testVectors } from '#tests/helpers/vectors'

const ENVELOPE_KEYS = ['statusCode', 'code', 'message', 'issues']
const INSIDES =
  /\b(select\b.+\bfrom|insert into|delete from|update\b.+\bset)\b|\.[jt]s:\d+|node_modules|node:internal/i

const builder: ValidActor = { token: 'valid', kind: 'user', permissions: 'all', realm: 'master' }

testVectors(readErrorCases, (cases) => {
  test.group('Error cases', (group) => {
    const fixture = new ErrorFixture({ address: at, isServed, headers: () => headersOf(builder) })

    group.setup(knownRealms)
    group.setup(async () => {
      if (canPlay(builder)) {
        await fixture.build()
      }
      return () => fixture.remove()
    })

    test('the cases wait for nothing', ({ assert }) => {
      const waiting = cases.filter((entry) => awaitedBy(entry, fixture) !== undefined)
      assert.deepEqual(
        waiting.map(({ title }) => title),
        []
      )
    })

    for (const entry of cases) {
      const { title, surface, method, path, expect } = entry
      const defined = test(`${surface} ${method} ${path}: ${title}`, async ({ assert }) => {
        const response = await send(entry, fixture, at(surface, ''))
        const text = await response.text()
        const answered = text === '' ? undefined : JSON.parse(text)

        assert.equal(response.status, expect.status, text)
        if (expect.status >= 400) {
          assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
          assert.sameMembers(Object.keys(answered), ENVELOPE_KEYS)
          assert.equal(answered.statusCode, expect.status)
          assert.isString(answered.message)
          assert.isArray(answered.issues)
          assert.notMatch(text, INSIDES)
        }
        if (expect.code) {
          assert.equal(answered?.code, expect.code)
        }
        assert.deepEqual(unmetIssues(expect.issues ?? [], answered?.issues ?? []), [], text)
        for (const absent of expect.absent ?? []) {
          assert.isFalse(occurs(answered, absent), `${absent} occurs in ${text}`)
        }
      })
      defined.skip(() => {
        const reason = awaitedBy(entry, fixture)
        defined.options.skipReason = reason
        return reason !== undefined
      })
    }
  })
})
