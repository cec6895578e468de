import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
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
import { test } from '@japa/runner'
import pg from 'pg'
import { findBinaries } from '#embedded/binaries'
import { DataFolder } from '#embedded/data_folder'
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from '#embedded/embedded_postgres'
import {
  BinariesMissing,
  DataFolderBroken,
  DataFolderForeign,
  DataFolderInUse,
  DataFolderVersion,
  PasswordRefused,
} from '#embedded/errors'
import { locateEmbeddedPostgres } from '#embedded/locate'
import { LogFile } from '#embedded/log_file'
import { readPidFile } from '#embedded/pid_file'
import { launchOnFreePort, prepareCluster } from '#embedded/startup'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'
import { livingIn } from '#tests/services/servers/process_table'
import { realTime } from '#tests/helpers/real_time'

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']

const ownerScript = `
  import { EmbeddedPostgres } from '#embedded/embedded_postgres'
  const report = (outcome) => console.log(JSON.stringify(outcome))
  try {
    const postgres = await EmbeddedPostgres.start({ dataDir: process.argv[1] })
    const alive = setInterval(() => {}, 1000)
    process.on('SIGTERM', () => postgres.stop().then(() => clearInterval(alive)))
    report({ url: postgres.url })
  } catch ({ code, message }) {
    report({ code, message })
  }
`

interface Outcome {
  url?: string
  code?: string
  message?: string
}

/** A process of its own that owns a server, so that tests can kill it, or run it as another user. */
class Owner {
  readonly outcome: Promise<Outcome>
  readonly #process: ChildProcess

  constructor(dataDir: string, prefix: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const options = [RUN_TYPESCRIPT, '--input-type=module', '--eval', ownerScript]
    const [file, ...args] = [...prefix, process.execPath, ...options, '--', dataDir]
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    this.#process = spawn(file!, args, { stdio: [...stdio], env: { ...process.env, ...env } })
    this.outcome = this.#firstLine()
  }

  async url(): Promise<string> {
    const { url, message } = await this.outcome
    if (!url) {
      throw new Error(message)
    }
    return url
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) {
      return
    }
    this.#process.kill(signal)
    await once(this.#process, 'exit')
  }

  async #firstLine(): Promise<Outcome> {
    for await (const line of createInterface({ input: this.#process.stdout! })) {
      return JSON.parse(line)
    }
    return { message: 'The owner ended without a word' }
  }
}

/** Runs a statement on a connection of its own and returns the first column. */
async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  // A server that is killed ends the statement and the connection, each with an error.
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' })
    return rows.map(([first]) => first)
  } finally {
    await client.end()
  }
}

/** Writes a note nobody else wrote, to be looked for later. */
async function writeNote(url: string): Promise<string> {
  const [note] = await ask(url, 'insert into notes values (gen_random_uuid()) returning note')
  return note as string
}

async function notes(url: string): Promise<unknown[]> {
  return ask(url, 'select note from notes')
}

/** Repeats an action until it succeeds: the server may be away for a moment. */
async function eventually<T>(action: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 10_000
  for (;;) {
    try {
      return await action()
    } catch (error) {
      if (Date.now() > deadline) {
        throw error
      }
      await realTime(10, 'another process starts')
    }
  }
}

async function refusal(promise: Promise<unknown>): Promise<Error | undefined> {
  return promise.then(
    () => undefined,
    (error) => error
  )
}

/** Runs the program behind `npm run db:url`; returns its exit code and what it printed to both outputs. */
function dbUrl(env: NodeJS.ProcessEnv): [number, string, string] {
  const { PATH } = process.env
  const options = { env: { PATH, NODE_ENV: 'test', ...env }, encoding: 'utf8' } as const
  const args = [RUN_TYPESCRIPT, 'bin/db_url.ts']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return [status!, stdout, stderr]
}

async function serverPid(dataDir: string): Promise<number> {
  const noted = await readPidFile(join(dataDir, 'cluster'))
  return noted!.pid
}

test.group('Embedded PostgreSQL', (group) => {
  let base: string
  let dataDir: string
  const ending: (() => Promise<void>)[] = []

  async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const postgres = await EmbeddedPostgres.start({ dataDir, ...options })
    ending.push(() => postgres.stop())
    return postgres
  }

  function startOwner(prefix?: readonly string[], env?: NodeJS.ProcessEnv): Owner {
    const owner = new Owner(dataDir, prefix, env)
    ending.push(() => owner.end('SIGTERM'))
    return owner
  }

  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(base, 'folder-'))
    await chmod(folder, 0o755)
    return folder
  }

  /** For a test that damages its data. */
  async function useCopy(): Promise<void> {
    dataDir = join(await newFolder(), 'postgres')
    await cp(join(base, 'postgres'), dataDir, { recursive: true })
  }

  async function useNothing(): Promise<void> {
    dataDir = join(await newFolder(), 'postgres')
  }

  group.setup(async () => {
    base = await mkdtemp(join(tmpdir(), 'embedded postgres-'))
    await chmod(base, 0o755)
    const postgres = await EmbeddedPostgres.start({ dataDir: join(base, 'postgres') })
    await ask(postgres.url, 'create table notes (note uuid)')
    await postgres.stop()
    return () => rm(base, { recursive: true, force: true })
  })

  group.each.setup(() => {
    dataDir = join(base, 'postgres')
    return async () => {
      for (const end of ending.splice(0).toReversed()) {
        await end()
      }
    }
  })

  test('the server makes the databases in a new folder and answers', async ({ assert }) => {
    await useNothing()
    const notices: string[] = []
    const databases = ['hub', 'Second "one"'] as const
    const postgres = await start({ databases, onNotice: (text) => notices.push(text) })

    assert.deepEqual(await ask(postgres.url, 'select current_database()'), ['hub'])
    const second = postgres.urlOf('Second "one"')
    assert.deepEqual(await ask(second, 'select current_database()'), ['Second "one"'])
    assert.deepEqual(await ask(postgres.url, `select lower('ÄÉ')`), ['äé'])
    assert.deepEqual(notices, [`Creating a PostgreSQL database in ${dataDir}.`])
  })

  test('the server keeps every safety of the data on, and gives no rights beyond the databases', async ({
    assert,
  }) => {
    const { url } = await start()
    for (const name of ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums']) {
      assert.deepEqual(await ask(url, `show ${name}`), ['on'], name)
    }
    const [connections] = await ask(url, 'show max_connections')
    assert.isAtLeast(Number(connections), 100)
    const superuser = 'select rolsuper from pg_roles where rolname = current_user'
    assert.deepEqual(await ask(url, superuser), [false])
    assert.exists(await refusal(ask(url.replace('//hub:', '//postgres:'), 'select 1')))
  })

  test('the server keeps data, password and port from one start to the next', async ({
    assert,
  }) => {
    const first = await start()
    const note = await writeNote(first.url)
    await first.stop()
    const second = await start()
    assert.equal(second.url, first.url)
    assert.include(await notes(second.url), note)
  })

  test('the server shows the password only to the owner of the folder', async ({ assert }) => {
    process.env.SECRET_OF_THE_HUB = 'not-to-be-handed-on'
    ending.push(async () => void delete process.env.SECRET_OF_THE_HUB)
    const { url } = await start()
    const { password } = new URL(url)
    assert.isAtLeast(password.length, 32)
    const { mode } = await stat(join(dataDir, 'password'))
    assert.equal(mode & 0o777, 0o600)

    await refusal(ask(url, 'select no_such_column'))
    const server = `/proc/${await serverPid(dataDir)}`
    for (const source of [`${server}/cmdline`, `${server}/environ`, `${dataDir}/postgres.log`]) {
      const text = await readFile(source, 'utf8')
      assert.isNotEmpty(text)
      assert.notInclude(text, password, source)
      assert.notInclude(text, 'not-to-be-handed-on', source)
    }
  })

  test('the server starts a killed server again on the same address with its data', async ({
    assert,
  }) => {
    const notices: string[] = []
    const { url } = await start({ onNotice: (text) => notices.push(text) })
    const note = await writeNote(url)
    const killed = await serverPid(dataDir)
    process.kill(killed, 'SIGKILL')

    assert.include(await eventually(() => notes(url)), note)
    assert.notEqual(await serverPid(dataDir), killed)
    await eventually(async () => assert.lengthOf(notices, 2))
    assert.match(notices[0]!, /ended by SIGKILL/)
    assert.match(notices[1]!, /answers again/)
  })

  test('the server gets over a killed connection process', async ({ assert }) => {
    const { url } = await start()
    const note = await writeNote(url)
    const client = new pg.Client({ connectionString: url })
    const broken = new Promise((resolve) => client.on('error', resolve))
    await client.connect()
    const { rows } = await client.query('select pg_backend_pid() as pid')
    process.kill(rows[0].pid, 'SIGKILL')
    await broken
    assert.include(await eventually(() => notes(url)), note)
  })

  test('the server stays down when it is stopped while it is started again', async ({ assert }) => {
    const restarted = Promise.withResolvers<void>()
    const postgres = await start({ onNotice: () => restarted.resolve() })
    process.kill(await serverPid(dataDir), 'SIGKILL')
    await restarted.promise
    await postgres.stop()
    assert.isEmpty(livingIn(dataDir))
    assert.isUndefined(await locateEmbeddedPostgres(dataDir))
    assert.exists(await refusal(ask(postgres.url, 'select 1')))
  })

  test('the server does not wait for a busy connection of the killed server', async ({
    assert,
  }) => {
    const { url } = await start()
    const note = await writeNote(url)
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    const busy = refusal(client.query('select count(*) from generate_series(1, 1000000000000)'))
    process.kill(await serverPid(dataDir), 'SIGKILL')
    assert.include(await eventually(() => notes(url)), note)
    assert.exists(await busy)
  })

  test('the server ends with an owner that is killed', async ({ assert }) => {
    const owner = startOwner()
    await owner.url()
    assert.exists(await locateEmbeddedPostgres(dataDir))
    await owner.end('SIGKILL')
    await eventually(async () => assert.isUndefined(await locateEmbeddedPostgres(dataDir)))
  })

  test('the server starts right after its owner was killed', async ({ assert }) => {
    const owner = startOwner()
    const url = await owner.url()
    const note = await writeNote(url)
    const pid = await serverPid(dataDir)
    await owner.end('SIGKILL')
    const postgres = await start()
    assert.equal(postgres.url, url)
    assert.notEqual(await serverPid(dataDir), pid)
    assert.include(await notes(url), note)
  })

  test('the server takes the place of a server that has no owner', async ({ assert }) => {
    const folder = new DataFolder(dataDir)
    const orphan = await launchOnFreePort(folder, await prepareCluster(folder, () => {}))
    ending.push(() => orphan.stop())
    const pid = await serverPid(dataDir)
    const { url } = await start()
    assert.notEqual(await serverPid(dataDir), pid)
    assert.exists(await writeNote(url))
  })

  test('the server ignores a pid file whose pid now belongs to another process', async ({
    assert,
  }) => {
    const postgres = await start()
    const note = await writeNote(postgres.url)
    const pidFile = join(dataDir, 'cluster/postmaster.pid')
    const text = await readFile(pidFile, 'utf8')
    await postgres.stop()
    const stranger = spawn('sleep', ['60'])
    ending.push(async () => void stranger.kill())
    await writeFile(pidFile, text.replace(/^\d+/, String(stranger.pid)))

    const { url } = await start()
    assert.include(await notes(url), note)
    assert.isNull(stranger.exitCode)
    assert.isNull(stranger.signalCode)
  })

  test('the server begins anew when the very first start was killed half way', async ({
    assert,
  }) => {
    await useNothing()
    const owner = startOwner()
    await eventually(async () => {
      const entries = await readdir(dataDir)
      const draft = entries.find((entry) => entry.startsWith('initializing-'))
      await stat(join(dataDir, draft!, 'PG_VERSION'))
    })
    await owner.end('SIGKILL')
    assert.isFalse(existsSync(join(dataDir, 'cluster')))

    const { url } = await start()
    assert.deepEqual(await ask(url, 'select 1'), [1])
    const entries = await readdir(dataDir)
    assert.isFalse(entries.some((entry) => entry.startsWith('initializing-')))
  })

  test('the server refuses a second owner and names the first', async ({ assert }) => {
    const { url } = await start()
    const owner = startOwner()
    const { code, message } = await owner.outcome
    assert.equal(code, 'E_DATA_FOLDER_IN_USE')
    assert.include(message, String(process.pid))
    assert.instanceOf(await refusal(EmbeddedPostgres.start({ dataDir })), DataFolderInUse)
    assert.exists(await writeNote(url))
  })

  test('the server leaves a folder alone that holds something else', async ({ assert }) => {
    await useNothing()
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'thesis.txt'), 'precious')
    assert.instanceOf(await refusal(EmbeddedPostgres.start({ dataDir })), DataFolderForeign)
    assert.deepEqual(await readdir(dataDir), ['thesis.txt'])
  })

  test('the server leaves a cluster alone that is damaged or of another version', async ({
    assert,
  }) => {
    await useNothing()
    const { majorVersion } = await findBinaries()
    await mkdir(join(dataDir, 'cluster/base'), { recursive: true })
    const versionFile = join(dataDir, 'cluster/PG_VERSION')
    await writeFile(versionFile, '9\n')
    assert.instanceOf(await refusal(EmbeddedPostgres.start({ dataDir })), DataFolderVersion)
    await writeFile(versionFile, `${majorVersion}\n`)
    assert.instanceOf(await refusal(EmbeddedPostgres.start({ dataDir })), DataFolderBroken)
    assert.isTrue(existsSync(join(dataDir, 'cluster/base')))
  })

  test('the server takes another port where another process has the old one', async ({
    assert,
  }) => {
    const port = Number(await readFile(join(dataDir, 'port'), 'utf8'))
    const squatter = createServer().listen(port, '127.0.0.1')
    await once(squatter, 'listening')
    ending.push(async () => void squatter.close())
    const { url } = await start()
    assert.notEqual(Number(new URL(url).port), port)
    assert.exists(await writeNote(url))
  })

  test('sets a new password where it is lost, and says so where it is wrong', async ({
    assert,
  }) => {
    await writeFile(join(dataDir, 'password'), 'guessed')
    assert.instanceOf(await refusal(EmbeddedPostgres.start({ dataDir })), PasswordRefused)
    await rm(join(dataDir, 'password'))
    const { url } = await start()
    assert.exists(await writeNote(url))
  })

  test('the server says which package is missing', async ({ assert }) => {
    const error = await refusal(findBinaries('/nowhere/module.js'))
    assert.instanceOf(error, BinariesMissing)
    assert.match(error!.message, /@embedded-postgres\/.*DATABASE_URL/)
  })

  test('the server says which command is missing', async ({ assert }) => {
    const { code, message } = await startOwner([], { PATH: base }).outcome
    assert.equal(code, 'E_SYSTEM_TOOL_MISSING')
    assert.include(message, '"flock"')
  })

  test('the server says that the disk is full', async ({ assert }) => {
    await useNothing()
    await mkdir(dataDir)
    const onSmallDisk = 'mount -t tmpfs -o size=20m none "$0" && exec "$@"'
    const owner = startOwner(['unshare', '--mount', 'sh', '-c', onSmallDisk, dataDir])
    const { code, message } = await owner.outcome
    assert.equal(code, 'E_DATABASE_DISK_FULL')
    assert.match(message!, /only \d+ MB free/)
  }).skip(!isRoot, 'only root can mount')

  test('the server is found by others only while it runs', async ({ assert }) => {
    assert.isUndefined(await locateEmbeddedPostgres(dataDir))
    const postgres = await start()
    assert.equal(await locateEmbeddedPostgres(dataDir), postgres.url)
    assert.equal(await locateEmbeddedPostgres(dataDir, 'other'), postgres.urlOf('other'))
    await postgres.stop()
    assert.isUndefined(await locateEmbeddedPostgres(dataDir))
  })

  test('the server is named by db:url while it runs, and only there', async ({ assert }) => {
    const postgres = await start()
    assert.deepEqual(dbUrl({ DATA_DIR: base }), [0, `${postgres.url}\n`, ''])
    const elsewhere = 'postgres://somebody@db.example/hub'
    assert.deepEqual(dbUrl({ DATABASE_URL: elsewhere }), [0, `${elsewhere}\n`, ''])
    await postgres.stop()
    const [status, printed, explanation] = dbUrl({ DATA_DIR: base })
    assert.deepEqual([status, printed], [1, ''])
    assert.match(explanation, /^The embedded database is not running: .*\n$/)
  })

  test('the server keeps its log small', async ({ assert }) => {
    const path = join(dataDir, 'postgres.log')
    await writeFile(path, 'old line\n'.repeat(500_000), { flag: 'a' })
    await start()
    assert.isBelow(await new LogFile(path).size(), 10_000)
    assert.include(await readFile(`${path}.1`, 'utf8'), 'old line')
  })

  test('the server runs as an unprivileged user where root has no user namespaces, and root finds it again', async ({
    assert,
  }) => {
    await useCopy()
    const tools = await newFolder()
    const path = process.env.PATH!.split(':')
    for (const tool of ['flock', 'setpriv', 'test']) {
      const found = path.map((folder) => join(folder, tool)).find((file) => existsSync(file))
      await symlink(found!, join(tools, tool))
    }
    const owner = startOwner([], { PATH: tools })
    const note = await writeNote(await owner.url())
    const { uid } = await stat(`/proc/${await serverPid(dataDir)}`)
    assert.equal(uid, nobody)
    await owner.end('SIGTERM')

    const { url } = await start()
    assert.include(await notes(url), note)
  }).skip(!isRoot, 'only root can become another user')

  test('the server runs for a normal user, whose folder root may start in between', async ({
    assert,
  }) => {
    await useNothing()
    await chown(join(dataDir, '..'), nobody, nobody)
    const owner = startOwner(asNobody, { HOME: '/nonexistent' })
    const url = await owner.url()
    await owner.end('SIGTERM')

    const byRoot = await start()
    assert.equal(byRoot.url, url)
    await byRoot.stop()
    assert.equal(await startOwner(asNobody, { HOME: '/nonexistent' }).url(), url)
  }).skip(!isRoot, 'only root can become another user')
})
