import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { ReadingThread } from '#storage/objects/fs/reading_thread'
import { eventually } from '#tests/helpers/eventually'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { realTime } from '#tests/helpers/real_time'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'

const OF_HANGING_DISK = new URL(
  '../../helpers/storage/reading_program_of_hanging_disk.ts',
  import.meta.url
)

test.group('A thread that reads small files', (group) => {
  let folder: string
  let thread: ReadingThread
  let files: { path: string; size: number }[]
  const asText = async () => (await thread.read(files)).map((bytes) => bytes?.toString())

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-reading-'))
    thread = new ReadingThread(OF_HANGING_DISK)
    files = ['one', 'two', ''].map((text, n) => ({ path: join(folder, `${n}`), size: text.length }))
    await Promise.all(['one', 'two', ''].map((text, n) => writeFile(files[n]!.path, text)))
    // On a busy machine the start may exceed the timeout.
    await eventually(async () => (await asText())[0] === 'one')
    return async () => {
      thread.close()
      await rm(folder, { recursive: true })
    }
  })

  /** A file of a hanging disk: a FIFO, which the program opens as it is not meant to, and so waits for a writer. */
  function hanging() {
    const path = join(folder, 'hanging')
    execFileSync('mkfifo', [path])
    const answer = async () => (await open(path, 'w')).close()
    return { path, size: 1, answer }
  }

  test('the thread reads them, and one byte more of those that are longer', async ({ assert }) => {
    files = [files[0]!, { ...files[1]!, size: 1 }, { ...files[1]!, size: 9 }, files[2]!]
    assert.deepEqual(await asText(), ['one', 'tw', 'two', ''])
    assert.deepEqual(await Promise.all([asText(), thread.read([])]), [['one', 'tw', 'two', ''], []])
  })

  test('skips what it cannot read', async ({ assert }) => {
    files.splice(1, 0, { path: join(folder, 'none'), size: 1 }, { path: folder, size: 1 })
    assert.deepEqual(await asText(), ['one', undefined, undefined, 'two', ''])
  })

  test('skips what follows something slow', async ({ assert }) => {
    const { answer, ...slow } = hanging()
    files.splice(1, 0, slow)
    const reading = asText()
    await realTime(100, 'the thread measures how slow a file is')
    await answer()
    assert.deepEqual(await reading, ['one', undefined, undefined, undefined])
  })

  test('times out while the disk hangs, and resumes when it responds', async ({ assert }) => {
    const { answer, ...slow } = hanging()
    await withManualTimers(async (pass) => {
      let isOver = false
      const reading = Promise.all([thread.read([slow]), asText()]).finally(() => (isOver = true))
      await pass(1_999)
      assert.isFalse(isOver)
      await pass(1)
      assert.deepEqual(await reading, [[undefined], [undefined, undefined, undefined]])
    })
    assert.deepEqual(await asText(), [undefined, undefined, undefined])
    await answer()
    await eventually(async () => (await asText())[0] === 'one')
  })

  test('the thread is restarted after it ended', async ({ assert }) => {
    const tooMuch = { path: files[0]!.path, size: Number.MAX_SAFE_INTEGER }
    assert.deepEqual(await thread.read([tooMuch]), [undefined])
    assert.deepEqual(await asText(), ['one', 'two', ''])
  })

  test('the thread reads nothing more when it was closed', async ({ assert }) => {
    const reading = asText()
    thread.close()
    await reading
    assert.deepEqual(await asText(), [undefined, undefined, undefined])
  })

  test('the thread keeps a process alive only while it reads', async ({ assert }) => {
    const script = `
      import { ReadingThread } from '#storage/objects/fs/reading_thread'
      const thread = new ReadingThread()
      let bytes
      while (!bytes) {
        bytes = (await thread.read([{ path: process.argv[1], size: 3 }]))[0]
      }
      console.log(String(bytes))
    `
    const output = execFileSync(
      process.execPath,
      [RUN_TYPESCRIPT, '--input-type=module', '--eval', script, files[0]!.path],
      { timeout: 20_000 }
    )
    assert.equal(String(output), 'one\n')
  })
})
