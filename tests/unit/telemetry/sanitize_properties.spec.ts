import { test } from '@japa/runner'

import { sanitized } from '#telemetry/events/sanitize'

const ROUNDS = 2_000
const SECRET = /password|secret|hash|token|credential/i

/** A small generator whose numbers follow from the seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const NAMES = [
  ...[
    'diff',
    'next',
    'previous',
    'data',
    'name',
    'title',
    '',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    'password',
    'accountSecret',
    'buildHash',
    'TOKEN',
    'refreshTokenId',
    'Credentials',
    'rehashed',
  ],
]
const PLAIN = ['text', '', 0, -1.5, true, false, null, 'password', '\u0000', '\ud800']

type Draw = (below: number) => number

function anything(draw: Draw, depth: number): unknown {
  const choice = draw(depth > 0 ? 4 : 2)
  if (choice < 2) {
    return PLAIN[draw(PLAIN.length)]
  }
  const count = draw(5)
  if (choice === 2) {
    return Array.from({ length: count }, () => anything(draw, depth - 1))
  }
  const entries = Array.from({ length: count }, () => [
    NAMES[draw(NAMES.length)],
    anything(draw, depth - 1),
  ])
  return Object.fromEntries(entries)
}

/** Data close to valid data, to reach the edge cases of the rules. */
function almost(draw: Draw): unknown {
  const pair = () => ({
    ...(draw(5) > 0 && { next: anything(draw, draw(3)) }),
    ...(draw(5) > 0 && { previous: anything(draw, draw(3)) }),
    ...(draw(4) === 0 && { [NAMES[draw(NAMES.length)]!]: anything(draw, 1) }),
  })
  const fields = Array.from({ length: draw(5) }, () => [NAMES[draw(NAMES.length)], pair()])
  return { ...(anything(draw, 1) as object), diff: Object.fromEntries(fields) }
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return []
  }
  return Object.entries(value).flatMap(([key, nested]) => [key, ...keysIn(nested)])
}

const isScalar = (value: unknown) => value === null || typeof value !== 'object'

test.group('The retained part of any data', () => {
  for (const [name, make, least] of [
    ['of any shape', (draw: Draw) => anything(draw, 5), 0],
    ['of almost the right shape', almost, ROUNDS / 10],
  ] as const) {
    test(`no secret’s name at any depth, and nothing but pairs of plain values: ${name}`, ({
      assert,
    }) => {
      let pairs = 0
      for (let seed = 0; seed < ROUNDS; seed++) {
        const data = make(numbersFrom(seed))
        const retained = sanitized(data)
        if (retained === null) {
          assert.isTrue(isScalar(data) || Array.isArray(data), `seed ${seed}`)
          continue
        }
        assert.isEmpty(
          keysIn(retained).filter((key) => SECRET.test(key)),
          `seed ${seed}`
        )
        assert.isEmpty(
          Object.keys(retained).filter((key) => key !== 'diff'),
          `seed ${seed}`
        )
        for (const [field, pair] of Object.entries(retained.diff ?? {})) {
          assert.deepEqual(Object.keys(pair), ['next', 'previous'], `seed ${seed}`)
          assert.isTrue(Object.values(pair).every(isScalar), `seed ${seed}`)
          const sent = (data as any).diff[field]
          assert.deepEqual(pair, { next: sent.next, previous: sent.previous }, `seed ${seed}`)
          pairs++
        }
        assert.deepEqual(sanitized(retained), retained, `seed ${seed}: what was kept is kept again`)
      }
      assert.isAtLeast(pairs, least)
    })
  }

  test('every allowed pair is retained', ({ assert }) => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      const data = almost(numbersFrom(seed)) as { diff: Record<string, any> }
      const wanted = Object.keys(data.diff).filter((field) => {
        const pair = data.diff[field]
        const isWhole = 'next' in pair && 'previous' in pair
        return !SECRET.test(field) && isWhole && isScalar(pair.next) && isScalar(pair.previous)
      })
      assert.sameMembers(Object.keys(sanitized(data)!.diff!), wanted, `seed ${seed}`)
    }
  })
})
