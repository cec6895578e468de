import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'

import { systemMajor, systemNode, systemPath } from '#tests/helpers/system_node'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const isRoot = process.getuid?.() === 0
const nobody = 65_534
const nodePackage = `node-${process.platform}-${process.arch}`

/** What the program wrote at its end. */
function reportOf(stdout: string): { signals: string[] } {
  return JSON.parse(stdout.trim().split('\n').at(-1)!)
}

const server = `// @ts-nocheck
import { spawnSync } from 'node:child_process'
import { greeting } from '../app/greeting.js'
const [mode, ...rest] = process.argv.slice(2)
const nested = spawnSync('node', ['--version']).stdout.toString().trim()
const report = { greeting, args: [mode, ...rest], version: process.version, nested, signals: [] }
if (mode === 'wait') {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    process.on(signal, () => {
      report.signals.push(signal)
      console.log('received')
      setTimeout(() => {
        console.log(JSON.stringify(report))
        process.exit(7)
      }, 300)
    })
  }
  setInterval(() => {}, 1000)
  console.log('waiting ' + process.pid)
} else if (mode === 'die') {
  process.kill(process.pid, 'SIGKILL')
} else {
  console.log(JSON.stringify(report))
  process.exitCode = Number(rest[0] ?? 0)
}
`

/** Builds a small project around the bootstrap. Its packages are folders, so that no registry is needed. */
async function makeProject(folder: string): Promise<void> {
  const real = (path: string) => JSON.stringify(join(repository, 'node_modules', path))
  const files: Record<string, string> = {
    'app/greeting.ts': `export const greeting: string = 'hello'\n`,
    'app/page.html': '<p>copied</p>\n',
    'bin/server.ts': server,
    'bin/pool.ts': server,
    'bin/test.ts': `console.log(JSON.stringify(process.argv.slice(2) as string[]))\n`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'ESNext',
        // What a browser declares takes the compiler longer to read than all else together.
        lib: ['ESNext'],
        module: 'NodeNext',
        rootDir: '.',
        outDir: './build',
        strict: true,
        sourceMap: true,
        skipLibCheck: true,
        types: [],
      },
    }),
    'vendor/typescript/bin/tsc': `require(${real('typescript/bin/tsc')})\n`,
    'vendor/core/index.js': `module.exports = require(${real('@swc/core')})\n`,
    [`vendor/${nodePackage}/bin/node`]: `#!/bin/sh\nexec "${process.execPath}" "$@"\n`,
    'vendor/extra/index.js': '',
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await cp(join(repository, 'tsconfig.build.json'), join(folder, 'tsconfig.build.json'))
  await cp(join(repository, 'bin/bootstrap.mjs'), join(folder, 'bin/bootstrap.mjs'))
  await cp(join(repository, 'bin/bootstrap'), join(folder, 'bin/bootstrap'), { recursive: true })
  await chmod(join(folder, `vendor/${nodePackage}/bin/node`), 0o755)
  await declarePackages(folder, {
    'typescript': { bin: { tsc: 'bin/tsc' } },
    '@swc/core': { main: 'index.js' },
    [nodePackage]: { bin: { node: 'bin/node' } },
  })
}

/** Writes the manifests of the packages, and a package.json and package-lock.json that ask for them. */
async function declarePackages(folder: string, packages: Record<string, object>): Promise<void> {
  const dependencies: Record<string, string> = {}
  const locked: Record<string, object> = {}
  for (const [name, details] of Object.entries(packages)) {
    const place = `vendor/${name.replace(/^@\w+\//, '')}`
    const manifest = { name, version: '1.0.0', ...details }
    await writeFile(join(folder, place, 'package.json'), JSON.stringify(manifest))
    dependencies[name] = `file:${place}`
    locked[`node_modules/${name}`] = { resolved: place, link: true }
    locked[place] = manifest
  }
  const project = { name: 'project', version: '1.0.0' }
  const manifest = { ...project, type: 'module', dependencies }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const lock = {
    ...project,
    lockfileVersion: 3,
    packages: { '': { ...project, dependencies }, ...locked },
  }
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
}

interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

interface RunOptions {
  node?: string
  prefix?: readonly string[]
  env?: NodeJS.ProcessEnv
}

/** A bootstrap under way. */
class Run {
  readonly process: ChildProcess
  readonly ended: Promise<Ending>
  stdout = ''
  stderr = ''

  constructor(project: string, args: readonly string[], options: RunOptions = {}) {
    const { node = systemNode ?? process.execPath, prefix = [], env = {} } = options
    const [file, ...rest] = [...prefix, node, join(project, 'bin/bootstrap.mjs'), ...args]
    this.process = spawn(file!, rest, {
      cwd: project,
      detached: true,
      env: { PATH: systemPath, HOME: project, npm_config_offline: 'true', ...env },
    })
    this.process.stdout!.on('data', (chunk) => (this.stdout += chunk))
    this.process.stderr!.on('data', (chunk) => (this.stderr += chunk))
    this.ended = once(this.process, 'close').then(([code, signal]) => {
      return { code, signal, stdout: this.stdout, stderr: this.stderr }
    })
  }

  /** Waits until one of the outputs has a text, and returns what a pattern captured. */
  async until(pattern: RegExp): Promise<string> {
    const found = () => {
      const match = pattern.exec(this.stdout + this.stderr)
      return match ? (match[1] ?? match[0]) : undefined
    }
    return eventually(found).catch(() => {
      throw new Error(`Nothing like ${pattern} in:\n${this.stdout}${this.stderr}`)
    })
  }
}

test.group('The way from a clone to a running program', (group) => {
  let project: string
  const runs: Run[] = []

  function run(args: readonly string[], options?: RunOptions): Run {
    const started = new Run(project, args, options)
    runs.push(started)
    return started
  }

  async function finish(args: readonly string[], options?: RunOptions): Promise<Ending> {
    return run(args, options).ended
  }

  async function write(path: string, text: string): Promise<void> {
    await writeFile(join(project, path), text)
  }

  /** Puts a program first in the PATH that stands for npm. */
  async function fakeNpm(script: string): Promise<NodeJS.ProcessEnv> {
    const folder = join(project, 'fake')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return { PATH: [folder, systemPath].join(delimiter) }
  }

  group.setup(async () => {
    project = await mkdtemp(join(tmpdir(), 'boot strap-'))
    await chmod(project, 0o755)
    await makeProject(project)
    return () => rm(project, { recursive: true, force: true })
  })

  group.each.setup(() => {
    return () => {
      for (const { process: child } of runs.splice(0)) {
        child.kill('SIGKILL')
      }
    }
  })

  test('installs, builds and runs, and leaves standard output to the program', async ({
    assert,
  }) => {
    const { code, stdout, stderr } = await finish(['start', 'report', '3', 'two words'])
    assert.equal(code, 3)
    const report = JSON.parse(stdout)
    assert.equal(report.greeting, 'hello')
    assert.deepEqual(report.args, ['report', '3', 'two words'])
    assert.equal(report.version, process.version)
    assert.equal(report.nested, process.version)
    assert.match(stderr, /Installing .*Node\.js/)
    assert.match(stderr, /Building/)
    assert.equal(await readFile(join(project, 'build/app/page.html'), 'utf8'), '<p>copied</p>\n')
    assert.isTrue(existsSync(join(project, 'build/package.json')))
    assert.isFalse(existsSync(join(project, 'build/bin/test.js')))
  })

  test('the bootstrap does nothing twice', async ({ assert }) => {
    const { code, stderr } = await finish(['start', 'report'])
    assert.equal(code, 0)
    assert.equal(stderr, '')
  })

  test('the bootstrap accepts what another program installed', async ({ assert }) => {
    await rm(join(project, 'node_modules/.bootstrap-stamp'))
    const { stderr } = await finish(['start', 'report'])
    assert.equal(stderr, '')
  })

  test('the bootstrap builds again when a source changed, and only then', async ({ assert }) => {
    await write('app/greeting.ts', `export const greeting: string = 'changed'\n`)
    await write('app/more.ts', `export const more = 1\n`)
    const changed = await finish(['start', 'report'])
    assert.equal(JSON.parse(changed.stdout).greeting, 'changed')
    assert.match(changed.stderr, /Building/)
    assert.notMatch(changed.stderr, /Installing/)
    assert.isTrue(existsSync(join(project, 'build/app/more.js')))

    await rm(join(project, 'app/more.ts'))
    const removed = await finish(['build'])
    assert.equal(removed.code, 0)
    assert.notInclude(await readdir(join(project, 'build/app')), 'more.js')
  })

  test('the bootstrap shows the errors of a build, starts nothing, and recovers', async ({
    assert,
  }) => {
    await write('app/greeting.ts', `export const greeting: string = 42\n`)
    const broken = await finish(['start', 'report'])
    assert.equal(broken.code, 1)
    assert.equal(broken.stdout, '')
    assert.match(broken.stderr, /greeting\.ts.*TS2322/)
    assert.equal(broken.stderr.trim().split('\n').at(-1), 'The build failed; the errors are above.')

    await write('app/greeting.ts', `export const greeting: string = 'mended'\n`)
    const { stdout } = await finish(['start', 'report'])
    assert.equal(JSON.parse(stdout).greeting, 'mended')
  })

  test('the bootstrap makes output again that was deleted', async ({ assert }) => {
    await rm(join(project, 'build/app/greeting.js'))
    const { stdout } = await finish(['start', 'report'])
    assert.equal(JSON.parse(stdout).greeting, 'mended')
  })

  test('the bootstrap says what failed where npm fails', async ({ assert }) => {
    await rm(join(project, 'node_modules/.package-lock.json'))
    const env = await fakeNpm('echo "npm error code EUSAGE" >&2; exit 5')
    const { code, stdout, stderr } = await finish(['start', 'report'], { env })
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /EUSAGE[\s\S]*could not be installed; npm says why above\.\n$/)
  })

  test('installs again when the lock changed', async ({ assert }) => {
    await declarePackages(project, {
      'typescript': { bin: { tsc: 'bin/tsc' } },
      '@swc/core': { main: 'index.js' },
      [nodePackage]: { bin: { node: 'bin/node' } },
      'extra': {},
    })
    const { code, stderr } = await finish(['start', 'report'])
    assert.equal(code, 0)
    assert.match(stderr, /Installing/)
    assert.isTrue(existsSync(join(project, 'node_modules/extra')))
  })

  test('the bootstrap runs TypeScript programs with their own arguments', async ({ assert }) => {
    const plain = await finish(['test', 'unit', '--files', 'a b'])
    assert.deepEqual(JSON.parse(plain.stdout), ['unit', '--files', 'a b'])
    const services = await finish(['test:services', '--bail'])
    assert.deepEqual(JSON.parse(services.stdout), ['services', '--bail'])
  })

  test('the bootstrap names its commands to a user who mistypes one', async ({ assert }) => {
    for (const args of [['strat'], ['toString'], []]) {
      const { code, stderr } = await finish(args)
      assert.equal(code, 1)
      assert.match(stderr, /use one of start, pool, hubctl, db:url, build, image, .*, test/)
      assert.lengthOf(stderr.trim().split('\n'), 1)
    }
  })

  test('the bootstrap runs on the new Node.js as well as on the old one', async ({ assert }) => {
    const { code, stdout } = await finish(['start', 'report'], { node: process.execPath })
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).version, process.version)
  })

  test('the bootstrap hands a signal on, a repeated one to end once, and ends after the program with its exit code', async ({
    assert,
  }) => {
    const expected = {
      SIGTERM: ['SIGTERM'],
      SIGINT: ['SIGINT'],
      SIGHUP: ['SIGHUP', 'SIGHUP'],
      SIGQUIT: ['SIGQUIT', 'SIGQUIT'],
      SIGUSR2: ['SIGUSR2', 'SIGUSR2'],
    }
    const endings = Object.entries(expected).map(async ([signal, received]) => {
      const waiting = run(['start', 'wait'])
      await waiting.until(/waiting/)
      waiting.process.kill(signal as NodeJS.Signals)
      await waiting.until(/received/)
      waiting.process.kill(signal as NodeJS.Signals)
      const { code, stdout } = await waiting.ended
      assert.equal(code, 7, signal)
      assert.deepEqual(reportOf(stdout).signals, received)
    })
    await Promise.all(endings)
  })

  test('a hang-up during the installation reaches a program that reloads', async ({ assert }) => {
    await rm(join(project, 'node_modules/.package-lock.json'))
    const env = await fakeNpm(`
      echo "npm is $$" >&2
      until [ -e '${join(project, 'go')}' ]; do sleep 0.05; done
      PATH='${systemPath}' exec npm "$@"`)
    const started = run(['pool', 'report'], { env })
    await started.until(/npm is/)
    started.process.kill('SIGHUP')
    await write('go', '')
    const { code, stdout } = await started.ended
    await rm(join(project, 'go'))
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(stdout).args, ['report'])
  })

  test('the bootstrap hands Ctrl-C on once, which a terminal sends to all it started', async ({
    assert,
  }) => {
    const waiting = run(['start', 'wait'])
    await waiting.until(/waiting/)
    process.kill(-waiting.process.pid!, 'SIGINT')
    const { code, stdout } = await waiting.ended
    assert.equal(code, 7)
    assert.deepEqual(reportOf(stdout).signals, ['SIGINT'])
  })

  test('the bootstrap ends with 128 and the signal that killed the program', async ({ assert }) => {
    const { code } = await finish(['start', 'die'])
    assert.equal(code, 128 + 9)
  })

  test('the bootstrap leaves no program behind when it is killed', async ({ assert }) => {
    const killed = run(['start', 'wait'])
    await killed.until(/waiting/)
    killed.process.kill('SIGKILL')
    const { stdout } = await killed.ended
    assert.include(reportOf(stdout).signals, 'SIGTERM')
  })

  test('the bootstrap builds once when two start at the same time', async ({ assert }) => {
    await write('app/greeting.ts', `export const greeting: string = 'together'\n`)
    const endings = await Promise.all([finish(['start', 'report']), finish(['start', 'report'])])
    for (const { code, stdout } of endings) {
      assert.equal(code, 0)
      assert.equal(JSON.parse(stdout).greeting, 'together')
    }
    const output = endings.map(({ stderr }) => stderr).join('')
    assert.lengthOf(output.match(/Building/g)!, 1)
  })

  test('the bootstrap does not wait for a start that was killed while it installed', async ({
    assert,
  }) => {
    await rm(join(project, 'node_modules/.package-lock.json'))
    const env = await fakeNpm('echo "npm is $$" >&2; exec sleep 60')
    const killed = run(['build'], { env })
    const npm = Number(await killed.until(/npm is (\d+)/))
    const next = run(['build'])
    await next.until(/Another start is installing or building/)
    killed.process.kill('SIGKILL')
    const { code, stderr } = await next.ended
    assert.equal(code, 0)
    assert.match(stderr, /Installing/)
    assert.isFalse(isRunning(npm))
  })

  test('the bootstrap stops npm when it is interrupted, and goes no further', async ({
    assert,
  }) => {
    await rm(join(project, 'node_modules/.package-lock.json'))
    const env = await fakeNpm('echo "npm is $$" >&2; exec sleep 60')
    const interrupted = run(['start', 'report'], { env })
    const npm = Number(await interrupted.until(/npm is (\d+)/))
    interrupted.process.kill('SIGINT')
    const { code, stdout, stderr } = await interrupted.ended
    assert.equal(code, 128 + 2)
    assert.equal(stdout, '')
    assert.notMatch(stderr, /Building|could not be installed/)
    assert.isFalse(isRunning(npm))
  })

  test('the bootstrap works for a normal user whose home folder is read-only', async ({
    assert,
  }) => {
    const home = join(project, 'home')
    await mkdir(home, { mode: 0o555 })
    await rm(join(project, 'node_modules'), { recursive: true })
    await rm(join(project, 'build'), { recursive: true })
    spawnSync('chown', ['-R', `${nobody}:${nobody}`, project])
    spawnSync('chown', ['root:root', home])

    const prefix = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
    const { PATH } = await fakeNpm(`
      echo "cache: $npm_config_cache" >&2
      PATH='${systemPath}' exec npm "$@"`)
    const env = { HOME: home, PATH, npm_config_engine_strict: 'true', NODE_ENV: 'production' }
    const { code, stdout, stderr } = await finish(['start', 'report'], { prefix, env })
    assert.equal(code, 0, stderr)
    assert.match(stderr, /cache: \S+npm-cache-/)
    assert.equal(JSON.parse(stdout).greeting, 'together')
  }).skip(!isRoot, 'only root can become another user')

  test('the bootstrap says what to do where there is no Node.js that is new enough', async ({
    assert,
  }) => {
    await finish(['build'])
    await rm(join(project, 'vendor', nodePackage, 'bin/node'))
    const { code, stderr } = await finish(['start', 'report'])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^The hub needs Node\.js 24, this is v\d+.*: install Node\.js 24 and start again\.\n$/
    )
  }).skip(!systemMajor || systemMajor >= 24, 'there is no older Node.js on this machine')
})

function isRunning(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'state=', '-p', String(pid)])
    .stdout.toString()
    .trim()
  return state !== '' && state !== 'Z'
}
