import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { prepareData } from '#tests/helpers/prepared_data'

const run = promisify(execFile)

/** A data folder that outlives the programs that are started on it one after the other. */
async function dataFolder(cleanup: (clean: () => Promise<void>) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-first-'))
  // The database of a program that was killed may be writing for another moment.
  cleanup(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return join(folder, 'data')
}

/** An installation with a migrated, empty database. */
async function folderWithTables(cleanup: (clean: () => Promise<void>) => void): Promise<string> {
  const folder = await dataFolder(cleanup)
  await prepareData(folder)
  return folder
}

/** What a program printed, and what is found at it while it runs. */
async function during<T>(
  variables: Record<string, string>,
  work: (hub: HubProcesses) => Promise<T>
): Promise<{ printed: string; found: T }> {
  const hub = await HubProcesses.start('server', { variables })
  try {
    return { printed: hub.output, found: await work(hub) }
  } finally {
    await hub.remove()
  }
}

async function token(hub: HubProcesses, form: Record<string, string>): Promise<number> {
  const { status } = await fetch(`${hub.origin}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return status
}

const asAdmin = (hub: HubProcesses, password: string) =>
  token(hub, { grant_type: 'password', username: 'admin', password })

const asSystem = (hub: HubProcesses, secret: string) =>
  token(hub, { grant_type: 'client_credentials', client_id: 'system', client_secret: secret })

/** What an operator gets who types the lines that were printed. */
async function typed(hub: HubProcesses, env: Record<string, string> = {}): Promise<unknown> {
  const line = (name: string) => new RegExp(`^  ${name} +(.*)$`, 'm').exec(hub.output)![1]!
  const here = `localhost:${new URL(hub.origin).port}`
  const script = `${line('try')}\n${line('and')}`.replaceAll('localhost:0', here)
  const { stdout } = await run('bash', ['-c', script], { env: { ...process.env, ...env } })
  return JSON.parse(stdout)
}

const NO_NODES = { data: [], meta: { total: 0 } }

test.group('First start', (group) => {
  group.each.timeout(600_000)

  test('on this machine only has the password that everybody knows, and says how to try it', async ({
    assert,
    cleanup,
  }) => {
    const DATA_DIR = await dataFolder(cleanup)
    const { printed } = await during({ DATA_DIR }, async (hub) => {
      assert.containsSubset(await typed(hub), NO_NODES)
      assert.equal(await asSystem(hub, 'start123'), 200)
    })
    assert.match(printed, /^ {2}login +admin of the realm master; .*start123/m)
    assert.notMatch(printed, /^ {2}secret /m)
  })

  test('where others can reach it makes up secrets, shows them once and keeps them', async ({
    assert,
    cleanup,
  }) => {
    const DATA_DIR = await folderWithTables(cleanup)
    const open = { HOST: '0.0.0.0', DATA_DIR }
    const stored = async (file: string) => {
      const path = join(DATA_DIR, file)
      assert.equal((await stat(path)).mode & 0o777, 0o600)
      return readFile(path, 'utf8')
    }
    const check = async (hub: HubProcesses) => {
      const [password, secret] = [await stored('admin.password'), await stored('system.secret')]
      assert.containsSubset(await typed(hub), NO_NODES)
      assert.equal(await asAdmin(hub, password), 200)
      assert.equal(await asSystem(hub, secret), 200)
      assert.notEqual(await asAdmin(hub, 'start123'), 200)
      assert.notEqual(await asSystem(hub, 'start123'), 200)
      return [password, secret] as const
    }
    const first = await during(open, check)
    for (const secret of first.found) {
      assert.lengthOf(first.printed.split(secret), 2, 'it is shown once')
    }
    const second = await during(open, check)
    assert.deepEqual(second.found, first.found)
    for (const secret of first.found) {
      assert.notInclude(second.printed, secret)
    }
    assert.include(second.printed, join(DATA_DIR, 'admin.password'))
  })

  test('where others can reach it by now takes the secrets away that everybody knows', async ({
    assert,
    cleanup,
  }) => {
    const DATA_DIR = await folderWithTables(cleanup)
    await during({ DATA_DIR }, async (hub) => assert.equal(await asAdmin(hub, 'start123'), 200))
    const { printed } = await during({ DATA_DIR, HOST: '0.0.0.0' }, async (hub) => {
      assert.notEqual(await asAdmin(hub, 'start123'), 200)
      assert.notEqual(await asSystem(hub, 'start123'), 200)
      assert.containsSubset(await typed(hub), NO_NODES)
    })
    assert.match(printed, /^ {2}secret /m)
  })

  test('the start takes the password that was chosen, and never prints it', async ({
    assert,
    cleanup,
  }) => {
    const chosen = { IDENTITY_ADMIN_PASSWORD: 'chosen password 1' }
    const variables = { HOST: '0.0.0.0', DATA_DIR: await folderWithTables(cleanup), ...chosen }
    const { printed } = await during(variables, async (hub) => {
      assert.containsSubset(await typed(hub, chosen), NO_NODES)
    })
    assert.notInclude(printed, chosen.IDENTITY_ADMIN_PASSWORD)
    assert.lengthOf(printed.match(/^ {2}secret /gm) ?? [], 1, 'that of the platform')
  })

  test('the start says at a terminal that it stops, which may take a while', async ({
    assert,
    cleanup,
  }) => {
    const DATA_DIR = await folderWithTables(cleanup)
    const hub = await HubProcesses.start('server', { variables: { DATA_DIR } })
    cleanup(() => hub.remove())
    hub.pressCtrlC()
    assert.equal(await hub.exit, 0)
    assert.match(hub.output, /^Stopping\. Ctrl-C again ends it at once\.$/m)
  })
})
