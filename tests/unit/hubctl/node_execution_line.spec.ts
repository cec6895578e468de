import { test } from '@japa/runner'

import {
  executionLine,
  outputLines,
  type NodeExecution,
} from '#hubctl/commands/node_execution_line'

const before = (seconds: number) => new Date(Date.now() - seconds * 1000 - 500).toISOString()
const execution = (more: Partial<NodeExecution>): NodeExecution => ({
  nodeId: 'n',
  approved: true,
  status: 'executing',
  since: before(9),
  progress: 30,
  awaySince: null,
  ...more,
})
const names = new Map([['n', 'north']])

test.group('The line about a node of an analysis', () => {
  for (const [more, expected] of [
    [{ message: 'Round 3 of 10' }, 'north: executing for 9s, 30 %: Round 3 of 10'],
    [{ status: 'started', message: 'Starts' }, 'north: started for 9s: Starts'],
    [{ status: null }, 'north: has not started for 9s'],
    [{ status: null, approved: false }, 'north: waits for the approval of its realm for 9s'],
    [{ awaySince: before(180) }, 'north: executing for 9s, 30 % (away for 3m)'],
    [{ status: 'failed', message: 'no\u001B[31m rows' }, 'north: failed for 9s: no\uFFFD[31m rows'],
  ] as const) {
    test(`the line reads "${expected}"`, ({ assert }) => {
      assert.equal(executionLine(execution(more), names), expected)
    })
  }

  test('the line is followed by the end of the error output, without control characters', ({
    assert,
  }) => {
    const output = ['File "main.py", line 3', 'ValueError: no\u001B[31m rows']
    assert.deepEqual(outputLines(execution({ status: 'failed', output })), [
      '    File "main.py", line 3',
      '    ValueError: no\uFFFD[31m rows',
    ])
    assert.deepEqual(outputLines(execution({})), [])
  })
})
