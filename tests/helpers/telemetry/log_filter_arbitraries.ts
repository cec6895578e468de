import fc, { type Arbitrary } from 'fast-check'

import { instantOf } from '#telemetry/logs/instant'
import { LOG_LEVELS } from '#records/log_lines'
import type { LogFilter } from '#telemetry/logs/log_filter'

/** Filters over the labels `x` and `y` with values of these letters, over levels, and over times soon after the start. */
export function logFilters(startedAt: number, letters: readonly string[]): Arbitrary<LogFilter> {
  const values = fc.subarray([...letters, '', 'none'], { minLength: 0, maxLength: 3 })
  const leaves = fc.oneof<Arbitrary<LogFilter>[]>(
    fc.record({ kind: fc.constant('oneOf' as const), name: fc.constantFrom('x', 'y'), values }),
    fc.record({
      kind: fc.constant('oneOf' as const),
      name: fc.constant('level'),
      values: fc.subarray([...LOG_LEVELS]),
    }),
    fc.record({
      kind: fc.constantFrom('contains' as const, 'startsWith' as const, 'endsWith' as const),
      name: fc.constantFrom('x', 'y'),
      text: fc.constantFrom(...letters, 'zz'),
    }),
    fc.record({
      kind: fc.constant('time' as const),
      op: fc.constantFrom('>=' as const, '>' as const, '<=' as const, '<' as const),
      at: fc.integer({ min: -1, max: 21 }).map((after) => instantOf(startedAt + after)),
    })
  )
  const { filter } = fc.letrec<{ filter: LogFilter; group: LogFilter; negated: LogFilter }>(
    (tie) => ({
      filter: fc.oneof({ maxDepth: 3 }, leaves, tie('group'), tie('negated')),
      group: fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      }),
      negated: fc.record({ kind: fc.constant('not' as const), filter: tie('filter') }),
    })
  )
  return filter
}
