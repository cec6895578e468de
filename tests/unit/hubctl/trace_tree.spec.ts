import { test } from '@japa/runner'

import type { LineFrom } from '#hubctl/commands/log_sources'
import { traceOf } from '#hubctl/commands/trace_tree'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()

type Labels = Record<string, string>

const line = (second: number, message: string, labels: Labels, node?: string): LineFrom => ({
  line: { time: at(second), level: 'info', message, labels },
  node,
})

/** A line of a build. */
const step = (second: number, name: string, stepState: string, labels: Labels = {}): LineFrom =>
  line(second, `${name}: ${stepState}`, {
    component: 'analysisBuilder',
    command: 'execute',
    run: '1',
    step: name,
    stepState,
    ...labels,
  })

const atNode = (second: number, message: string, code: string, node = 'north'): LineFrom =>
  line(second, message, code === '' ? {} : { code }, node)

test.group('The trace of an analysis from its log lines', () => {
  test('the trace has the steps of a job in the order in which they begin', ({ assert }) => {
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const [build, ...others] = traceOf([
      step(0, 'Read', 'started', { request_id: 'r1', refType: 'analysis', refId: 'a1' }),
      step(1, 'Find', 'started', { request_id: 'r1', trace_id: trace }),
      step(4, 'Find', 'done', { request_id: 'r1' }),
      step(6, 'Read', 'done', { request_id: 'r1' }),
    ])
    assert.isEmpty(others)
    assert.deepEqual(build, {
      name: 'build',
      startedAt: at(0),
      seconds: 6,
      result: 'done',
      requestId: 'r1',
      record: { kind: 'analysis', id: 'a1' },
      traceId: trace,
      steps: [
        { name: 'Read', startedAt: at(0), seconds: 6, result: 'done' },
        { name: 'Find', startedAt: at(1), seconds: 3, result: 'done' },
      ],
    })
  })

  test('the trace shows what failed, and what did not end', ({ assert }) => {
    const failed = { component: 'analysisBuilder', command: 'execute', run: '1', event: 'failed' }
    const [build, again] = traceOf([
      step(0, 'Read', 'started'),
      step(2, 'Read', 'failed'),
      line(3, 'There is no code', failed),
      step(5, 'Read', 'started', { run: '2' }),
    ])
    assert.containSubset(build, {
      result: 'failed',
      steps: [
        { name: 'Read', result: 'failed', seconds: 2 },
        { name: 'There is no code', result: 'failed', seconds: null },
      ],
    })
    assert.containSubset(again, { result: 'open', seconds: null, steps: [{ result: 'open' }] })
  })

  test('the trace keeps builds, checks and distributions apart', ({ assert }) => {
    const names = traceOf([
      step(0, 'Read', 'started'),
      step(1, 'Read', 'started', { command: 'check' }),
      step(2, 'Read', 'started', { run: '2' }),
      step(3, 'Copy', 'started', { component: 'analysisDistributor' }),
      step(4, 'Make', 'started', { component: 'masterImageBuilder' }),
    ]).map(({ name }) => name)
    assert.deepEqual(names, ['build', 'check of the build', 'build', 'distribution', 'build'])
  })

  test('the trace has the runs of each node, without the lines of the analysis itself', ({
    assert,
  }) => {
    const parts = traceOf([
      atNode(0, 'Pulls and verifies the image', 'pull'),
      atNode(3, 'Starts the container', 'start'),
      atNode(4, 'Ended: failed', ''),
      atNode(5, 'Pulls and verifies the image', 'pull', 'south'),
      atNode(9, 'Ended: executed', 'end'),
      atNode(10, 'Pulls and verifies the image', 'pull'),
      atNode(11, 'The analysis ended with code 1', 'failed'),
      atNode(11, 'Ended: failed', 'end'),
    ])
    assert.containSubset(parts, [
      { name: 'run at north', seconds: 9, result: 'done' },
      { name: 'run at south', seconds: null, result: 'open' },
      { name: 'run at north', seconds: 1, result: 'failed' },
    ])
    assert.deepEqual(
      parts[0]!.steps.map(({ name, seconds }) => [name, seconds]),
      [
        ['Pulls and verifies the image', 3],
        ['Starts the container', 6],
        ['Ended: executed', null],
      ]
    )
    assert.deepEqual(
      parts[2]!.steps.map(({ result }) => result),
      ['done', 'failed', 'done']
    )
  })

  test('the trace is empty without lines, and ignores those that name no step', ({ assert }) => {
    assert.isEmpty(traceOf([]))
    assert.isEmpty(traceOf([line(0, 'request answered', {}), atNode(1, 'Round 1', '')]))
  })
})
