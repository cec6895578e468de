import { stripVTControlCharacters } from 'node:util'

import { test } from '@japa/runner'
import { parse } from 'yaml'

import { formatIn } from '#hubctl/output/format'
import { Output, type OutputOptions } from '#hubctl/output/output'
import type { Fields } from '#hubctl/platform/pages'

const STEERING = '\u001B[31m \u0007 \u007F \u009B31m \u202E \u2066 \u{E0041}'
const HOSTILE = { id: 'id-1', name: `red ${STEERING}`, [`key ${STEERING}`]: STEERING }

/** What an output writes to both streams of the process, as if that was a terminal so wide, or a pipe. */
function written(
  options: Partial<Omit<OutputOptions, 'output'>> & { format: string; width?: number },
  write: (output: Output) => void
): string {
  const { format, width, ...rest } = options
  const { stdout, stderr } = process
  const before = { stdout: { ...state(stdout) }, stderr: { ...state(stderr) } }
  let text = ''
  for (const stream of [stdout, stderr]) {
    Object.assign(stream, {
      isTTY: width !== undefined,
      columns: width,
      write: (chunk: string) => ((text += chunk), true),
    })
  }
  try {
    write(new Output({ output: formatIn(format), ...rest }))
  } finally {
    Object.assign(stdout, before.stdout)
    Object.assign(stderr, before.stderr)
  }
  return text
}

const state = ({ isTTY, columns, write }: NodeJS.WriteStream) => ({ isTTY, columns, write })

const ANALYSES = [
  {
    id: '11111111-1111-4111-8111-111111111111',
    name: 'a-trial-with-a-name-that-is-forty-letters',
    displayName: null,
    executionStatus: null,
    distributionStatus: 'executed',
    buildStatus: 'executed',
    projectId: '22222222-2222-4222-8222-222222222222',
    createdAt: '2026-01-01T00:00:00.000Z',
  },
  {
    id: '33333333-3333-4333-8333-333333333333',
    name: 'b',
    displayName: null,
    buildStatus: null,
    distributionStatus: null,
    executionStatus: null,
    projectId: '22222222-2222-4222-8222-222222222222',
    createdAt: '2026-01-01T00:00:00.000Z',
  },
]

const list = (options: Parameters<typeof written>[0], records: readonly object[] = ANALYSES) => {
  const text = written(options, (output) =>
    output.records(records as Fields[], { kind: 'analysis' })
  )
  return options.width === undefined ? text : stripVTControlCharacters(text)
}

const longest = (text: string) => Math.max(...text.split('\n').map((line) => line.length))

test.group('What hubctl writes', (group) => {
  group.each.setup(() => {
    const preserved = { ...process.env }
    delete process.env.FORCE_COLOR
    delete process.env.COLUMNS
    return () => {
      process.env = preserved
    }
  })

  for (const format of ['table', 'wide', 'csv', 'json', 'yaml', 'name', 'jsonpath=$..*']) {
    test(`steers no terminal, as ${format}`, ({ assert }) => {
      const texts = [
        list({ format }, [HOSTILE]),
        written({ format }, (output) => output.record(HOSTILE, { kind: 'project' })),
        written({ format }, (output) => output.done(`The ${HOSTILE.name} is there`, HOSTILE)),
        written({ format }, (output) => output.note(HOSTILE.name)),
        written({ format }, (output) => output.line(HOSTILE.name.replace('\u001B[31m', ''))),
      ]
      for (const text of texts) {
        assert.notMatch(text, /(?![\n\t])[\p{Cc}\p{Cf}]/u)
      }
    })
  }

  test('output says the same as JSON and as YAML where characters are escaped', ({ assert }) => {
    assert.deepEqual(JSON.parse(list({ format: 'json' }, [HOSTILE])), [HOSTILE])
    assert.deepEqual(parse(list({ format: 'yaml' }, [HOSTILE])), [HOSTILE])
    const lines = [{ text: 'one\ntwo\tthree\n' }]
    assert.include(list({ format: 'yaml' }, lines), '|\n')
    assert.deepEqual(parse(list({ format: 'yaml' }, lines)), lines)
  })

  test('output fits a terminal, and shows how analyses stand', ({ assert }) => {
    const table = list({ format: 'table', width: 80 })
    assert.isAtMost(longest(table), 80)
    assert.match(table, /^NAME +BUILD +DISTRIBUTION +EXECUTION/)
    assert.isAtMost(longest(list({ format: 'table', width: 40 })), 40)
    assert.include(list({ format: 'table', width: 200 }), ANALYSES[0]!.id)
  })

  test('output is as wide as COLUMNS says, and readable on a terminal without a width', ({
    assert,
  }) => {
    process.env.COLUMNS = '200'
    assert.include(list({ format: 'table', width: 80 }), ANALYSES[0]!.id)
    delete process.env.COLUMNS
    assert.include(list({ format: 'table', width: 0 }), ANALYSES[0]!.name.slice(0, 30))
    const described = written({ format: 'table', width: 0 }, (output) =>
      output.record({ text: 'these words stand on one line' }, { kind: 'text' })
    )
    assert.include(described, 'these words stand on one line')
  })

  test('output is whole in a pipe, and where all is wanted', ({ assert }) => {
    const wide = [{ ...ANALYSES[0]!, name: '名前'.repeat(60), note: 'only wide shows it' }]
    const piped = list({ format: 'table' }, wide)
    assert.include(piped, wide[0]!.name)
    assert.include(piped, 'PROJECT ID')
    assert.notInclude(piped, 'only wide')
    const all = list({ format: 'wide', width: 80 }, wide)
    assert.include(all, wide[0]!.name)
    assert.include(all, 'only wide shows it')
  })

  test('output has the requested columns, in the requested order', ({ assert }) => {
    const records = [
      { name: 'n10', node: { name: 'x' }, size: null },
      { name: 'n9', node: { name: 'y' }, size: 4 },
    ]
    const options = { columns: ['node.name', 'name'], sortBy: 'name', headers: false }
    assert.equal(list({ format: 'table', ...options }, records), 'y  n9\nx  n10\n')
    assert.equal(
      list({ format: 'csv', sortBy: '-size' }, records).split('\n')[1],
      'n9,"{""name"":""y""}",4'
    )
    assert.throws(() => list({ format: 'table', columns: ['nmae'] }, records), /no column "nmae"/)
  })

  test('output is comma separated with quotes where they are needed', ({ assert }) => {
    const records = [{ name: 'a "b", c', text: 'one\ntwo', online: true, at: null }]
    const columns = ['name', 'text', 'online', 'at']
    const csv = list({ format: 'csv', columns }, records)
    assert.equal(csv, 'name,text,online,at\n"a ""b"", c","one\ntwo",true,\n')
  })

  test('output is the part that a JSONPath takes', ({ assert }) => {
    const names = list({ format: "jsonpath=$[?@.buildStatus == 'executed'].name" })
    assert.equal(names, `${ANALYSES[0]!.name}\n`)
    assert.equal(list({ format: 'jsonpath=[1].buildStatus' }), 'null\n')
    const one = written({ format: 'jsonpath=data.name' }, (output) =>
      output.value({ data: { name: 'north' } })
    )
    assert.equal(one, 'north\n')
    assert.throws(() => formatIn('jsonpath=$['), /is not a valid JSONPath/)
    assert.throws(() => formatIn('xml'), /It takes table/)
  })

  test('output has a line for each record of a kind that has neither names nor ids', ({
    assert,
  }) => {
    const keys = [{ fingerprint: 'ab12', isCurrent: true }]
    assert.match(
      list({ format: 'table', width: 80 }, keys),
      /^FINGERPRINT +IS CURRENT\nab12 +yes\n$/
    )
    assert.equal(list({ format: 'name' }, keys), 'analysis/ab12\n')
  })

  test('output names permissions of a role beside what they are for', ({ assert }) => {
    const role = { name: 'steward', permissions: [{ name: 'node_read', description: 'see nodes' }] }
    const text = written({ format: 'table' }, (output) => output.record(role, { kind: 'role' }))
    assert.match(text, /permissions:\n +node_read: +see nodes/)
  })
})
