import { test } from '@japa/runner'

import { TerminalLines } from '#observability/terminal_lines'

const TIME = new Date(2026, 0, 2, 8, 5, 9).getTime()

function shown(line: object): string {
  let text = ''
  const of = { level: 30, time: TIME, pid: 7, hostname: 'hub', name: 'analysis-hub' }
  new TerminalLines({ write: (more) => (text += more) }).write(JSON.stringify({ ...of, ...line }))
  return text
}

test.group('Log lines at a terminal', () => {
  test('lines have their time, level, message and fields', ({ assert }) => {
    const text = shown({ msg: 'this process now publishes the outbox', database: 'core', left: 2 })
    assert.equal(
      text,
      '08:05:09 info  this process now publishes the outbox database="core" left=2\n'
    )
  })

  test('lines show the stack of an error below', ({ assert }) => {
    const err = { message: 'no route', stack: 'Error: no route\n    at here' }
    assert.equal(
      shown({ level: 50, msg: 'failed', err }),
      '08:05:09 error failed\nError: no route\n    at here\n'
    )
  })

  test('control no terminal', ({ assert }) => {
    const text = shown({ msg: 'no \u001b[2Jroute', path: '/\u202egnp' })
    assert.notInclude(text, '\u001B')
    assert.notInclude(text, '\u202E')
  })
})
