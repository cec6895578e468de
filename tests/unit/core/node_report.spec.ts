import { test } from '@japa/runner'

import { readNodeReport } from '#core/nodes/node_report'
import { clock } from '#kernel/clock'

/** What the hub reads from a request with this header. */
function unboundedOf(value: string | undefined) {
  const now = new Date(clock.now()).toISOString()
  const headers: Record<string, string | undefined> = {
    'x-analysis-node-version': '1.0.0',
    'x-analysis-node-started': now,
    'x-analysis-node-time': now,
    'x-analysis-node-unbounded': value,
  }
  const report = readNodeReport({ request: { header: (name: string) => headers[name] } } as never)
  return report!.unbounded
}

test.group('Report of a node', () => {
  test('resources without a limit are a list of words; a node that reports none is unknown', ({
    assert,
  }) => {
    assert.isNull(unboundedOf(undefined))
    assert.deepEqual(unboundedOf('none'), [])
    assert.deepEqual(unboundedOf('sharedMemory'), ['sharedMemory'])
    assert.deepEqual(unboundedOf('sharedMemory, disk,disk'), ['sharedMemory', 'disk'])
  })

  test('a list with anything else in it is not a report: {$self}')
    .with([
      '',
      ',',
      '<script>alert(1)</script>',
      'sharedMemory,<b>',
      'shared memory',
      '{{ secret }}',
      'a\u0000b',
      'a\u001B[2J',
      'a\u202Eb',
      'a\u2028b',
      'ünbounded',
      '__proto__',
      `a${'b'.repeat(64)}`,
      Array.from({ length: 11 }, (_, at) => 'word' + 'x'.repeat(at)).join(),
    ])
    .run(({ assert }, value) => {
      assert.isNull(unboundedOf(value))
    })
})
