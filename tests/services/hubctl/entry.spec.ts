import { execFile } from 'node:child_process'
import { cp, lstat, mkdir, mkdtemp, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { Machine, type Ended } from './hubctl.js'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MOST_STARTS = 2.5
const WIDTH = 80
const NO_COMMANDS = new Set(['help', 'completion', 'hubctl'])

test.group('hubctl as a program', (group) => {
  let machine: Machine
  group.setup(async () => {
    machine = await Machine.createRecord()
    return () => machine.remove()
  })

  test('npm ci links it, from the lockfile and without running a script', async ({ assert }) => {
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'))
    const linked = await lstat(join(ROOT, 'node_modules/.bin/hubctl'))

    assert.deepEqual(lock.packages['node_modules/hubctl'], {
      resolved: 'packages/hubctl',
      link: true,
    })
    assert.isTrue(linked.isSymbolicLink())
    assert.equal(await readlink(join(ROOT, 'node_modules/.bin/hubctl')), '../hubctl/hubctl.js')
  })

  test('its version needs nothing but itself, and no time', async ({ assert, cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'hubctl-alone-'))
    cleanup(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'packages'))
    await cp(join(ROOT, 'packages/hubctl'), join(folder, 'packages/hubctl'), { recursive: true })
    await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
    const { stdout } = await run(process.execPath, [
      join(folder, 'packages/hubctl/hubctl.js'),
      '--version',
    ])
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))

    assert.equal(stdout, `${version}\n`)
  })

  test('its version costs little more than a start of Node', async ({ assert }) => {
    const bare: number[] = []
    const version: number[] = []
    for (let round = 0; round < 5; round++) {
      bare.push(await secondsOf('--eval', '0'))
      version.push(await secondsOf(join(ROOT, 'node_modules/.bin/hubctl'), '--version'))
    }

    assert.isBelow(Math.min(...version) / Math.min(...bare), MOST_STARTS)
  })

  test('a mistyped option is named, with what to do next', async ({ assert }) => {
    const { code, stdout, stderr } = await machine.call(['get', 'nodes', '--fliter', 'name=x'])

    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.include(stderr, "unknown option '--fliter'")
    assert.include(stderr, 'Did you mean --filter?')
    assert.include(stderr, '--help')
  })

  test('every command says what it is for, in at most eighty columns, and is documented', async ({
    assert,
  }) => {
    const documented = await readFile(join(ROOT, 'docs/hubctl.md'), 'utf8')
    const pages = await helpPages(machine, [])
    for (const { path, code, stdout } of pages) {
      const name = path.join(' ')
      const tooLong = stdout.split('\n').filter((line) => line.length > WIDTH)

      assert.equal(code, 0, name)
      assert.deepEqual(tooLong, [], name)
      assert.match(stdout, /^Usage: hubctl .+\n(\s.+\n)*\n\w.+/, name)
      assert.include(documented, `\`hubctl ${name}`.trimEnd(), name)
    }
    assert.isAbove(pages.length, 50)
  }).timeout(600_000)

  test('shells complete commands', async ({ assert }) => {
    const script = await machine.must('completion', 'bash')
    const offered = await machine.must('complete', '--', 'analysis', 'ex')

    assert.include(script, 'hubctl')
    assert.match(offered, /^explain\t/m)
  })
})

interface HelpPage extends Ended {
  readonly path: readonly string[]
}

/** The help of a command and of all below it, found as a person would: by asking each. */
async function helpPages(machine: Machine, path: readonly string[]): Promise<HelpPage[]> {
  const page = { path, ...(await machine.call([...path, '--help'])) }
  const below: HelpPage[] = []
  for (const name of commandsIn(page.stdout)) {
    below.push(...(await helpPages(machine, [...path, name])))
  }
  return [page, ...below]
}

/** What stands in a list, two spaces from the margin, but for arguments; examples begin with the name of the program. */
function commandsIn(help: string): string[] {
  const lists = help.split('\n\n').filter((part) => !part.startsWith('Arguments:'))
  const names = lists
    .flatMap((list) => list.split('\n'))
    .map((line) => /^ {2}([a-z][a-z-]*)( |$)/.exec(line)?.[1])
  return names.filter((name) => name !== undefined && !NO_COMMANDS.has(name)) as string[]
}

/** The processor time of a program of Node. */
async function secondsOf(...args: string[]): Promise<number> {
  const { stderr } = await run('bash', [
    '-c',
    `TIMEFORMAT='%U %S'; time "$@" >/dev/null`,
    'bash',
    process.execPath,
    ...args,
  ])
  const [user, system] = stderr.trim().split(' ').map(Number)
  return user! + system!
}
