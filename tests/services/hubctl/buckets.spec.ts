import { createHash, randomBytes } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { Machine } from './hubctl.js'
import { eventually } from '#tests/helpers/eventually'
import { randomPause } from '#tests/helpers/real_time'

const MIB = 1024 ** 2

test.group('Buckets with hubctl', (group) => {
  let hub: HubProcesses
  let machine: Machine
  group.setup(async () => {
    hub = await HubProcesses.start('server')
    machine = await Machine.createRecord()
    await machine.login(hub.origin)
    await machine.must('create', 'bucket', 'name=results')
    return async () => {
      await hub.remove()
      await machine.remove()
    }
  })

  test('a file goes there and comes back as it was', async ({ assert }) => {
    const content = randomBytes(3 * MIB)
    const file = await machine.write('table.bin', content)
    await machine.must('bucket', 'cp', file, 'results:2026/')
    const listed = await machine.must('bucket', 'ls', 'results:2026')
    await machine.must('bucket', 'cp', 'results:2026/table.bin', machine.path('back.bin'))
    const { stdout } = await machine.call(['bucket', 'cat', 'results:2026/table.bin'])

    assert.match(listed, /^SIZE +AGE +PATH\n3\.0 MiB +\d+s +2026\/table\.bin\n$/)
    assert.isTrue(content.equals(await machine.read('back.bin')))
    assert.isAbove(stdout.length, MIB)
  })

  test('a folder goes there and comes back, with all below it', async ({ assert }) => {
    await mkdir(machine.path('code/lib'), { recursive: true })
    await machine.write('code/main.py', 'print(1)')
    await machine.write('code/lib/more.py', 'print(2)')
    await machine.must('bucket', 'cp', '-r', machine.path('code'), 'results:code')
    await machine.must('bucket', 'cp', '-r', 'results:code', machine.path('there'))

    assert.equal(String(await machine.read('there/lib/more.py')), 'print(2)')
    assert.equal(String(await machine.read('there/main.py')), 'print(1)')
  })

  test('a file that cannot be copied is named, and does not keep the others from it', async ({
    assert,
  }) => {
    await mkdir(machine.path('three'), { recursive: true })
    for (const name of ['a.txt', 'b.txt', 'c.txt']) {
      await machine.write(`three/${name}`, name)
    }
    await machine.must('bucket', 'cp', '-r', machine.path('three'), 'results:three')
    await mkdir(machine.path('back/b.txt'), { recursive: true })
    const some = await machine.call(['bucket', 'cp', '-r', 'results:three', machine.path('back')])
    const none = await machine.call(['bucket', 'cp', machine.path('nothing.txt'), 'results:'])

    assert.equal(some.code, 8, some.stderr)
    assert.include(some.stderr, 'results:three/b.txt: ')
    assert.equal(String(await machine.read('back/a.txt')), 'a.txt')
    assert.equal(String(await machine.read('back/c.txt')), 'c.txt')
    assert.equal(none.code, 1)
    assert.include(none.stderr, 'cannot be read')
  })

  test('an upload that was cut off continues where it was', async ({ assert }) => {
    const content = randomBytes(96 * MIB)
    const file = await machine.write('large.bin', content)
    const child = machine.start(['bucket', 'cp', file, 'results:large.bin'])
    await started(machine)
    await randomPause(300)
    child.kill('SIGKILL')
    const [upload] = Object.values<any>(
      JSON.parse(String(await machine.read('cache/hubctl/uploads.json')))
    )
    await machine.must('bucket', 'cp', file, 'results:large.bin')
    const files = await machine.json('bucket', 'ls', 'results:large.bin')
    const remaining = JSON.parse(String(await machine.read('cache/hubctl/uploads.json')))

    assert.include(upload.uploadUrl, '/resumable/')
    assert.equal(files[0].size, content.length)
    assert.deepEqual(remaining, {})
  })

  test('a download that was cut off continues where it was', async ({ assert }) => {
    const content = randomBytes(2 * MIB)
    const hash = createHash('sha256').update(content).digest('hex')
    const file = await machine.write('partial.bin', content)
    await machine.must('bucket', 'cp', file, 'results:partial.bin')
    await machine.write('again.bin.part', content.subarray(0, MIB))
    await machine.write('again.bin.part-of', `"${hash}"`)
    await machine.must('bucket', 'cp', 'results:partial.bin', machine.path('again.bin'))

    assert.isTrue(content.equals(await machine.read('again.bin')))
    await assert.rejects(() => stat(machine.path('again.bin.part')))
  })

  test('a download whose beginning is of something else is thrown away', async ({ assert }) => {
    const content = randomBytes(MIB)
    const hash = createHash('sha256').update(content).digest('hex')
    const file = await machine.write('sound.bin', content)
    await machine.must('bucket', 'cp', file, 'results:sound.bin')
    await machine.write('spoilt.bin.part', randomBytes(MIB / 2))
    await machine.write('spoilt.bin.part-of', `"${hash}"`)
    const args = ['bucket', 'cp', 'results:sound.bin', machine.path('spoilt.bin')]
    const { code, stderr } = await machine.call(args)
    await machine.must(...args)

    assert.equal(code, 1)
    assert.include(stderr, 'the download was discarded')
    assert.isTrue(content.equals(await machine.read('spoilt.bin')))
  })

  test('a file is deleted by its path, where that is meant', async ({ assert }) => {
    const file = await machine.write('gone.txt', 'soon gone')
    await machine.must('bucket', 'cp', file, 'results:gone.txt')
    const unsure = await machine.call(['bucket', 'rm', 'results:gone.txt'])
    await machine.must('bucket', 'rm', 'results:gone.txt', '--yes')
    const { code, stderr } = await machine.call(['bucket', 'cat', 'results:gone.txt'])

    assert.equal(unsure.code, 2)
    assert.equal(code, 5)
    assert.include(stderr, 'hubctl bucket ls results:')
  })
})

/** Waits until the address of an upload is noted. */
async function started(machine: Machine): Promise<void> {
  await eventually(async () => {
    const noted = await machine.read('cache/hubctl/uploads.json').catch(() => '')
    return String(noted).includes('/resumable/')
  }, 60_000)
}
