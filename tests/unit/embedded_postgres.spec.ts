import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from '@japa/runner'
import pg from 'pg'
import { findBinaries } from '#database/embedded/binaries'
import { EmbeddedPostgres } from '#database/embedded/embedded_postgres'
import {
  BinariesMissing,
  DataFolderBroken,
  DataFolderForeign,
  DataFolderInUse,
  DataFolderVersion,
  DiskFull,
  PasswordRefused,
  SystemToolMissing,
} from '#database/embedded/errors'
import { locateEmbeddedPostgres } from '#database/embedded/locate'
import { LogFile } from '#database/embedded/log_file'
import { readPidFile } from '#database/embedded/pid_file'

const isRoot = process.getuid?.() === 0
const nobody = 65534
const loader = import.meta.resolve('@poppinss/ts-exec')
const ownerScript = `
  const { EmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('#database/embedded/embedded_postgres'))})
  const report = (message) => console.log(JSON.stringify(message))
  try {
    const postgres = await EmbeddedPostgres.start({
      dataDir: process.argv[1],
      onNotice: (notice) => report({ notice }),
    })
    process.on('SIGTERM', () => postgres.stop())
    report({ url: postgres.url })
  } catch (error) {
    report({ error: error.code, message: error.message })
  }
`

interface Report {
  url?: string
  error?: string
  message?: string
}

/** A process that owns a server, so that tests can kill it, or run it as somebody else. */
class Owner {
  readonly process: ChildProcess
  readonly #reports: Promise<Report>

  constructor(dataDir: string, prefix: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const command = [...prefix, process.execPath, `--import=${loader}`, '--input-type=module']
    const [file, ...args] = [...command, '--eval', ownerScript, '--', dataDir] as [
      string,
      ...string[],
    ]
    this.process = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
      cwd: '/',
    })
    this.#reports = this.#firstOutcome()
  }

  async url(): Promise<string> {
    const { url, error, message } = await this.#reports
    if (!url) throw new Error(`${error}: ${message}`)
    return url
  }

  async failure(): Promise<Report> {
    return this.#reports
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return
    this.process.kill(signal)
    await once(this.process, 'exit')
  }

  async #firstOutcome(): Promise<Report> {
    for await (const line of createInterface({ input: this.process.stdout! })) {
      const report = JSON.parse(line)
      if (!report.notice) return report
    }
    return { error: 'Ended', message: 'The owner ended without a word' }
  }
}

async function ask<T>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query(statement)
    return rows.map((row) => Object.values(row)[0] as T)
  } finally {
    await client.end()
  }
}

/** Repeats an action until it succeeds; the server may be away for a moment. */
async function eventually<T>(action: () => Promise<T>, patience = 10_000): Promise<T> {
  const deadline = Date.now() + patience
  for (;;) {
    try {
      return await action()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await delay(25)
    }
  }
}

async function serverPid(dataDir: string): Promise<number> {
  const noted = await readPidFile(join(dataDir, 'cluster'))
  return noted!.pid
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error) => error
  )
}

test.group('Embedded PostgreSQL', (group) => {
  let base: string
  let dataDir: string
  const running: (() => Promise<void>)[] = []

  async function start(
    options: { onNotice?: (text: string) => void } = {}
  ): Promise<EmbeddedPostgres> {
    const postgres = await EmbeddedPostgres.start({ dataDir, ...options })
    running.push(() => postgres.stop())
    return postgres
  }

  function startOwner(prefix?: readonly string[], env?: NodeJS.ProcessEnv): Owner {
    const owner = new Owner(dataDir, prefix, env)
    running.push(() => owner.end('SIGTERM'))
    return owner
  }

  group.setup(async () => {
    base = await mkdtemp(join(tmpdir(), 'embedded postgres-'))
    await chmod(base, 0o755)
    const postgres = await EmbeddedPostgres.start({ dataDir: join(base, 'template') })
    await ask(postgres.url, 'create table notes as select 42 as note')
    await postgres.stop()
    return () => rm(base, { recursive: true, force: true })
  })

  group.each.setup(async () => {
    const folder = await mkdtemp(join(base, 'test-'))
    await chmod(folder, 0o755)
    dataDir = join(folder, 'postgres')
    return async () => {
      for (const end of running.splice(0).toReversed()) await end()
    }
  })

  async function useTemplate(): Promise<void> {
    await cp(join(base, 'template'), dataDir, { recursive: true })
  }

  test('makes the databases in a new folder and answers', async ({ assert }) => {
    const notices: string[] = []
    const postgres = await EmbeddedPostgres.start({
      dataDir,
      databases: ['hub', 'Second "one"'],
      onNotice: (text) => notices.push(text),
    })
    running.push(() => postgres.stop())

    assert.deepEqual(await ask(postgres.url, 'select current_database()'), ['hub'])
    const second = postgres.urlOf('Second "one"')
    assert.deepEqual(await ask(second, 'select current_database()'), ['Second "one"'])
    assert.deepEqual(await ask(postgres.url, `select lower('ÄÉ')`), ['äé'])
    assert.lengthOf(notices, 1)
  })

  test('keeps every safety of the data on, and no rights beyond the databases', async ({
    assert,
  }) => {
    await useTemplate()
    const { url } = await start()
    for (const name of ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums']) {
      assert.deepEqual(await ask(url, `show ${name}`), ['on'], name)
    }
    assert.isAtLeast(Number((await ask(url, 'show max_connections'))[0]), 100)
    assert.deepEqual(await ask(url, 'select rolsuper from pg_roles where rolname = current_user'), [
      false,
    ])
    const asSuperuser = url.replace(/hub:[^@]+/, 'postgres')
    assert.instanceOf(await rejection(ask(asSuperuser, 'select 1')), Error)
  })

  test('keeps data, password and port from one start to the next', async ({ assert }) => {
    await useTemplate()
    const first = await start()
    await ask(first.url, 'insert into notes values (43)')
    await first.stop()
    const second = await start()
    assert.equal(second.url, first.url)
    assert.deepEqual(await ask(second.url, 'select note from notes order by 1'), [42, 43])
  })

  test('shows the password to nobody but the owner of the folder', async ({ assert }) => {
    await useTemplate()
    process.env.SECRET_OF_THE_HUB = 'do-not-hand-on'
    const { url } = await start()
    delete process.env.SECRET_OF_THE_HUB
    const { password } = new URL(url)
    const pid = await serverPid(dataDir)

    const { mode } = await stat(join(dataDir, 'password'))
    assert.equal(mode & 0o777, 0o600)
    assert.isAtLeast(password.length, 32)
    await rejection(ask(url, 'select no_such_column'))
    for (const source of [
      `/proc/${pid}/cmdline`,
      `/proc/${pid}/environ`,
      join(dataDir, 'postgres.log'),
    ]) {
      const text = await readFile(source, 'utf8')
      assert.notInclude(text, password, source)
      assert.notInclude(text, 'do-not-hand-on', source)
    }
  })

  test('starts a killed server again on the same address with its data', async ({ assert }) => {
    await useTemplate()
    const notices: string[] = []
    const { url } = await start({ onNotice: (text) => notices.push(text) })
    await ask(url, 'insert into notes values (43)')
    const killed = await serverPid(dataDir)
    process.kill(killed, 'SIGKILL')

    const notes = await eventually(() => ask(url, 'select note from notes order by 1'))
    assert.deepEqual(notes, [42, 43])
    assert.notEqual(await serverPid(dataDir), killed)
    assert.match(notices[0]!, /ended by SIGKILL/)
    await eventually(async () => assert.match(notices[1]!, /answers again/))
  })

  test('gets over a killed connection process', async ({ assert }) => {
    await useTemplate()
    const { url } = await start()
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query('select pg_backend_pid() as pid')
    process.kill(rows[0].pid, 'SIGKILL')
    assert.deepEqual(await eventually(() => ask(url, 'select note from notes')), [42])
    await client.end().catch(() => {})
  })

  test('does not start a server again that was stopped, also while it is being revived', async ({
    assert,
  }) => {
    await useTemplate()
    const postgres = await start()
    process.kill(await serverPid(dataDir), 'SIGKILL')
    await delay(5)
    await postgres.stop()
    await delay(100)
    assert.isUndefined(await locateEmbeddedPostgres(dataDir))
    assert.instanceOf(await rejection(ask(postgres.url, 'select 1')), Error)
  })

  test('ends with an owner that is killed, and starts on the same data afterwards', async ({
    assert,
  }) => {
    await useTemplate()
    const owner = startOwner()
    const url = await owner.url()
    await ask(url, 'insert into notes values (43)')
    const pid = await serverPid(dataDir)
    await owner.end('SIGKILL')

    const postgres = await start()
    assert.notEqual(await serverPid(dataDir), pid)
    assert.equal(postgres.url, url)
    assert.deepEqual(await ask(url, 'select note from notes order by 1'), [42, 43])
  })

  test('takes the place of a server that outlived its owner', async ({ assert }) => {
    await useTemplate()
    const first = await start()
    const pid = await serverPid(dataDir)
    const orphanDir = dataDir
    // The lock of the first owner goes away as it does when a process dies, the server stays.
    await rm(join(orphanDir, 'owner.lock'))
    const second = await start()
    assert.notEqual(await serverPid(dataDir), pid)
    assert.deepEqual(await ask(second.url, 'select note from notes'), [42])
    await first.stop()
  })

  test('is not held up by a pid file whose process is now another', async ({ assert }) => {
    await useTemplate()
    const postgres = await start()
    const pidFile = await readFile(join(dataDir, 'cluster/postmaster.pid'), 'utf8')
    await postgres.stop()
    const stranger = spawn('sleep', ['60'])
    running.push(async () => void stranger.kill())
    await writeFile(
      join(dataDir, 'cluster/postmaster.pid'),
      pidFile.replace(/^\d+/, String(stranger.pid))
    )

    const { url } = await start()
    assert.deepEqual(await ask(url, 'select note from notes'), [42])
    assert.isNull(stranger.exitCode)
  })

  test('begins anew when the very first start was killed half way', async ({ assert }) => {
    const owner = startOwner()
    await eventually(async () => {
      const draft = (await readdir(dataDir)).find((entry) => entry.startsWith('initializing-'))
      await stat(join(dataDir, draft!, 'PG_VERSION'))
    })
    await owner.end('SIGKILL')
    assert.isFalse(existsSync(join(dataDir, 'cluster')))

    const { url } = await start()
    assert.deepEqual(await ask(url, 'select 1'), [1])
    assert.isFalse((await readdir(dataDir)).some((entry) => entry.startsWith('initializing-')))
  })

  test('refuses a second owner and names the first', async ({ assert }) => {
    await useTemplate()
    const { url } = await start()
    const error = await rejection(EmbeddedPostgres.start({ dataDir }))
    assert.instanceOf(error, DataFolderInUse)
    assert.include((error as Error).message, String(process.pid))
    assert.deepEqual(await ask(url, 'select note from notes'), [42])
  })

  test('leaves a folder alone that holds something else', async ({ assert }) => {
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'thesis.txt'), 'precious')
    assert.instanceOf(await rejection(EmbeddedPostgres.start({ dataDir })), DataFolderForeign)
    assert.deepEqual(await readdir(dataDir), ['thesis.txt'])
  })

  test('leaves a damaged cluster and one of another version alone', async ({ assert }) => {
    await useTemplate()
    const { majorVersion } = await findBinaries()
    await writeFile(join(dataDir, 'cluster/PG_VERSION'), '9\n')
    assert.instanceOf(await rejection(EmbeddedPostgres.start({ dataDir })), DataFolderVersion)
    await writeFile(join(dataDir, 'cluster/PG_VERSION'), `${majorVersion}\n`)
    await rm(join(dataDir, 'cluster/global/pg_control'))
    assert.instanceOf(await rejection(EmbeddedPostgres.start({ dataDir })), DataFolderBroken)
    assert.isTrue(existsSync(join(dataDir, 'cluster/base')))
  })

  test('takes another port when somebody has the old one', async ({ assert }) => {
    await useTemplate()
    const port = Number(await readFile(join(dataDir, 'port'), 'utf8'))
    const squatter = createServer().listen(port, '127.0.0.1')
    await once(squatter, 'listening')
    running.push(async () => void squatter.close())
    const { url } = await start()
    assert.notEqual(Number(new URL(url).port), port)
    assert.deepEqual(await ask(url, 'select note from notes'), [42])
  })

  test('sets a new password where the old one was lost, and says so where it is wrong', async ({
    assert,
  }) => {
    await useTemplate()
    await writeFile(join(dataDir, 'password'), 'guessed')
    assert.instanceOf(await rejection(EmbeddedPostgres.start({ dataDir })), PasswordRefused)
    await rm(join(dataDir, 'password'))
    const { url } = await start()
    assert.deepEqual(await ask(url, 'select note from notes'), [42])
  })

  test('says which package is missing', async ({ assert }) => {
    const error = await rejection(findBinaries(join(base, 'elsewhere.js')))
    assert.instanceOf(error, BinariesMissing)
    assert.match((error as Error).message, /@embedded-postgres\/.*DATABASE_URL/)
  })

  test('says which command is missing', async ({ assert }) => {
    const owner = startOwner([], { PATH: base })
    const { error, message } = await owner.failure()
    assert.equal(error, new SystemToolMissing('').code)
    assert.include(message, '"flock"')
  })

  test('is found by others only while it runs', async ({ assert }) => {
    await useTemplate()
    assert.isUndefined(await locateEmbeddedPostgres(dataDir))
    const postgres = await start()
    assert.equal(await locateEmbeddedPostgres(dataDir), postgres.url)
    assert.equal(await locateEmbeddedPostgres(dataDir, 'other'), postgres.urlOf('other'))
    await postgres.stop()
    assert.isUndefined(await locateEmbeddedPostgres(dataDir))
  })

  test('keeps its log small', async ({ assert }) => {
    const path = join(base, 'some.log')
    const log = new LogFile(path)
    await writeFile(path, 'x'.repeat(5 * 1024 * 1024))
    await log.append(async (descriptor) => descriptor)
    await log.bound()
    assert.equal(await log.size(), 0)
    assert.isTrue(existsSync(`${path}.1`))
  })

  test('runs as nobody where root has no user namespaces, and root finds it again', async ({
    assert,
  }) => {
    await useTemplate()
    const tools = join(base, 'tools')
    await mkdir(tools)
    for (const tool of ['flock', 'setpriv', 'test']) {
      await symlink((await which(tool))!, join(tools, tool))
    }
    const owner = startOwner([], { PATH: tools })
    assert.deepEqual(await ask(await owner.url(), 'select note from notes'), [42])
    assert.equal((await stat(`/proc/${await serverPid(dataDir)}`)).uid, nobody)
    await owner.end('SIGTERM')

    const { url } = await start()
    assert.deepEqual(await ask(url, 'select note from notes'), [42])
  }).skip(!isRoot, 'only root can become another user')

  test('runs for a normal user, and root may start the folder afterwards', async ({ assert }) => {
    await chown(join(dataDir, '..'), nobody, nobody)
    const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
    const owner = startOwner(asNobody, { HOME: '/nonexistent' })
    const url = await owner.url()
    await ask(url, 'create table notes as select 44 as note')
    await owner.end('SIGTERM')

    const again = await start()
    assert.equal(again.url, url)
    assert.deepEqual(await ask(url, 'select note from notes'), [44])
    await again.stop()
    assert.equal(await startOwner(asNobody).url(), url)
  }).skip(!isRoot, 'only root can become another user')

  test('says that the disk is full', async ({ assert }) => {
    await mkdir(dataDir)
    const smallDisk = 'mount -t tmpfs -o size=20m none "$0" && exec "$@"'
    const owner = startOwner(['unshare', '--mount', 'sh', '-c', smallDisk, dataDir])
    const { error, message } = await owner.failure()
    assert.equal(error, new DiskFull('', 0).code)
    assert.match(message!, /only \d+ MB free/)
  }).skip(!isRoot, 'only root can mount')
})

async function which(tool: string): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(':')
  return folders.map((folder) => join(folder, tool)).find((path) => existsSync(path))
}
