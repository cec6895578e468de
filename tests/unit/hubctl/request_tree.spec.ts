import { test } from '@japa/runner'

import type { LineFrom } from '#hubctl/commands/log_sources'
import { requestTraceOf } from '#hubctl/commands/request_tree'
import { requestTree, treesOf } from '#hubctl/commands/trace_rows'
import { traceOf } from '#hubctl/commands/trace_tree'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()

const line = (
  second: number,
  level: string,
  message: string,
  labels: Record<string, string>
): LineFrom => ({ line: { time: at(second), level, message, labels }, node: undefined })

const ofBuild = (second: number, requestId: string | undefined, run = '1'): LineFrom =>
  line(second, 'info', 'Read: started', {
    component: 'analysisBuilder',
    command: 'execute',
    run,
    step: 'Read',
    stepState: 'started',
    ...(requestId !== undefined && { request_id: requestId }),
  })

test.group('What log lines say of a request', () => {
  test('the root is its answer, and what a worker did because of it', ({ assert }) => {
    const { steps, parts } = requestTraceOf('r1', [
      line(1, 'info', 'request answered', {
        request_id: 'r1',
        method: 'POST',
        path: '/core/analyses/a1/command',
        status: '202',
        ms: '250',
      }),
      ofBuild(2, 'r1'),
    ])
    assert.deepEqual(steps, [
      {
        name: 'POST /core/analyses/a1/command: 202',
        startedAt: '2026-01-01T12:00:00.750Z',
        seconds: 0.25,
        result: 'done',
      },
    ])
    assert.containSubset(parts, [{ name: 'build', requestId: 'r1' }])
  })

  test('the root is the error that it was answered with, without its stack', ({ assert }) => {
    const { steps, parts } = requestTraceOf('r1', [
      line(1, 'error', 'It failed\nError: away\n    at query (pool.ts:1)\n    at run (pool.ts:2)', {
        request_id: 'r1',
      }),
      line(1, 'info', 'something else', { request_id: 'r1' }),
    ])
    assert.isEmpty(parts)
    assert.containSubset(steps, [{ name: 'It failed: Error: away', result: 'failed' }])
    assert.lengthOf(steps, 1)
  })
})

test.group('Trees that begin with requests', () => {
  test('trees put what a request caused below it, and leave the rest as it is', ({ assert }) => {
    const parts = traceOf([
      ofBuild(1, 'r1', '1'),
      ofBuild(2, undefined, '2'),
      ofBuild(3, 'r2', '3'),
      ofBuild(4, 'r1', '4'),
    ])
    const trees = treesOf(parts).map(({ name, startedAt, children }) => [
      name,
      startedAt,
      children.map((child) => child.name),
    ])
    assert.deepEqual(trees, [
      ['request r1', at(1), ['build', 'build']],
      ['build', at(2), ['Read']],
      ['request r2', at(3), ['build']],
    ])
  })

  test('trees show what is below a request in order of time', ({ assert }) => {
    const child = (second: number) => ({
      name: String(second),
      startedAt: at(second),
      children: [],
    })
    const { startedAt, children } = requestTree('r1', [child(3), child(1), child(2)])
    assert.equal(startedAt, at(1))
    assert.deepEqual(
      children.map(({ name }) => name),
      ['1', '2', '3']
    )
  })
})
