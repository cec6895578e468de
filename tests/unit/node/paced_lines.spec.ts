import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { OUTPUT_PACE, PacedLines, type OutputPace } from '#node/sidecar/paced_lines'
import { eventually } from '#tests/helpers/eventually'

const CHUNK = 64 * 1024

test.group('Lines of a program', () => {
  const takeInto = (lines: string[]) => async (batch: readonly string[]) => {
    lines.push(...batch)
  }
  const readAll = async (chunks: readonly string[], pace: Partial<OutputPace> = {}) => {
    const lines: string[] = []
    const paced = new PacedLines(takeInto(lines), { ...OUTPUT_PACE, ...pace })
    await paced.readAll(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))
    return lines
  }
  const droppedIn = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + Number(/^… (\d+) lines dropped …$/.exec(line)?.[1] ?? 0), 0)

  test('all of them come, however the chunks are cut', async ({ assert }) => {
    const text = Array.from({ length: 3_000 }, (_, index) => `Zeile ${index} ü`).join('\n')
    const bytes = Buffer.from(text)
    for (const size of [1_000, 4_097, CHUNK]) {
      const lines: string[] = []
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size)
      )
      await new PacedLines(takeInto(lines)).readAll(Readable.from(chunks))
      assert.equal(lines.join('\n'), text)
    }
  })

  for (const [what, text] of [
    ['line breaks only', '\n'],
    ['lines of one letter', 'x\n'],
  ] as const) {
    test(`${what}: a few at once, and the next when these were accepted`, async ({ assert }) => {
      let most = 0
      let taking = 0
      const paced = new PacedLines(async ({ length }) => {
        taking += 1
        most = Math.max(most, taking * length)
        await turn()
        taking -= 1
      })
      const chunks = Array.from({ length: 50 }, () => Buffer.from(text.repeat(CHUNK)))
      await paced.readAll(Readable.from(chunks))

      assert.isAbove(most, 0)
      assert.isAtMost(most, OUTPUT_PACE.batchLines)
    })
  }

  test('lines beyond the limit are counted, and the last ones come', async ({ assert }) => {
    const count = 1_000_000
    const numbers = Array.from({ length: count }, (_, index) => `${index}\n`).join('')
    const chunks = numbers.match(new RegExp(`[^]{1,${CHUNK}}`, 'g'))!
    const end = 'Traceback (most recent call last):\nValueError: the reason'
    const lines = await readAll([...chunks, end], {
      windowMs: 600_000,
      bytes: Number.POSITIVE_INFINITY,
    })

    const notes = lines.filter((line) => line.startsWith('… '))
    assert.lengthOf(notes, 1)
    assert.closeTo(lines.length - 1 + droppedIn(lines), count + 2, 1)
    assert.isBelow(lines.length, 2 * OUTPUT_PACE.lines + OUTPUT_PACE.tailLines)
    assert.deepEqual(lines.slice(-3), [`${count - 1}`, ...end.split('\n')])
  })

  test('after a flood, lines come again', async ({ assert }) => {
    const flood = 'x\n'.repeat(200)
    const pace = { lines: 50, sliceBytes: 64, tailBytes: 10, windowMs: 1 }
    const lines: string[] = []
    const paced = new PacedLines(takeInto(lines), { ...OUTPUT_PACE, ...pace })
    async function* chunks() {
      yield Buffer.from(flood)
      const start = performance.now()
      await eventually(() => performance.now() - start > 10)
      yield Buffer.from('after\n')
    }
    await paced.readAll(chunks())

    assert.equal(lines.at(-1), 'after')
    assert.isAbove(droppedIn(lines), 100)
  })

  test('a program that writes more than that waits', async ({ assert, cleanup }) => {
    const bytes = 10 * CHUNK
    let written = 0
    const source = new Readable({
      read() {
        written += CHUNK
        this.push(Buffer.alloc(CHUNK, 'x'))
      },
    })
    cleanup(() => void source.destroy())
    const pace = { ...OUTPUT_PACE, bytes, windowMs: 600_000 }
    void new PacedLines(async () => {}, pace).readAll(source)
    await eventually(() => written >= bytes)
    for (let turns = 0; turns < 10_000; turns += 1) {
      await turn()
    }

    assert.isBelow(written, bytes + 5 * CHUNK)
  })
})
