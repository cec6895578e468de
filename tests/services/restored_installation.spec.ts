import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { HubCommand } from '#tests/helpers/hub_command'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const KEY = 'a-key-that-both-installations-have-been-told'
const CONTENT = 'what somebody has uploaded before'

/** Of the acceptance suite, what needs neither a provider that the tests know nor a program with other settings. */
const ACCEPTED = ['analyses', 'events', 'metadata', 'node', 'query_rules', 'storage', 'workflow']

/** Talks to a program as its administrator. */
class Administrator {
  readonly origin: string
  readonly token: string

  static async of({ origin }: HubProcesses): Promise<Administrator> {
    const response = await fetch(`${origin}/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'password', username: 'admin', password: 'start123' }),
    })
    const { access_token: token } = (await response.json()) as { access_token: string }
    return new Administrator(origin, token)
  }

  constructor(origin: string, token: string) {
    this.origin = origin
    this.token = token
  }

  async ask(path: string, body?: object | FormData): Promise<Response> {
    const isForm = body instanceof FormData
    return fetch(this.origin + path, {
      ...(body && { method: 'POST', body: isForm ? body : JSON.stringify(body) }),
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
    })
  }

  async make(path: string, body: object | FormData): Promise<{ id: string }> {
    const response = await this.ask(path, body)
    if (!response.ok) {
      throw new Error(`${path}: ${response.status} ${await response.text()}`)
    }
    const { data } = (await response.json()) as { data: { id: string } | { id: string }[] }
    return Array.isArray(data) ? data[0]! : data
  }
}

test.group('A restored installation', (group) => {
  let folder: string

  group.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hub-restored-'))
    // A database that was left by its program ends a moment later.
    return () => rm(folder, { recursive: true, force: true, maxRetries: 20 })
  })

  test('the installation is what it was: tokens, files and audit trail, and the acceptance suite passes on it', async ({
    assert,
    cleanup,
  }) => {
    const place = join(folder, 'backup')
    const variablesOf = (name: string) => ({ APP_KEY: KEY, DATA_DIR: join(folder, name) })
    const original = await HubProcesses.start('server', { variables: variablesOf('original') })
    cleanup(() => original.remove())
    const before = await Administrator.of(original)
    const project = await before.make('/core/projects', { name: 'kept-for-years' })
    const bucket = await before.make('/storage/buckets', { name: 'kept-as-well' })
    const form = new FormData()
    form.append('file', new Blob([CONTENT]), 'upload.txt')
    const file = await before.make(`/storage/buckets/${bucket.id}/upload`, form)
    const command = async (name: string, ...args: string[]) =>
      (await HubCommand.start(args, { folder, variables: variablesOf(name) })).ended()
    const backup = await command('original', 'backup', `--to=${place}`)
    assert.equal(backup.code, 0, backup.output)
    await original.remove()

    const restoration = await command('restored', 'restore', `--from=${place}`)
    assert.equal(restoration.code, 0, restoration.output)
    const restored = await HubProcesses.start('server', { variables: variablesOf('restored') })
    cleanup(() => restored.remove())
    const verdict = await command('restored', 'audit:verify')
    assert.equal(verdict.code, 0, verdict.output)
    const after = new Administrator(restored.origin, before.token)
    assert.equal((await after.ask(`/core/projects/${project.id}`)).status, 200)
    const kept = await after.ask(`/storage/bucket-files/${file.id}/stream`)
    assert.equal(await kept.text(), CONTENT)

    const { code, output } = await accepted(
      restored.origin,
      (await Administrator.of(restored)).token
    )
    assert.equal(code, 0, output)
    assert.match(output, /\b[1-9]\d* passed, 0 failed/)
  }).timeout(600_000)
})

/** Runs the acceptance suite against an installation, as anybody may do it. */
async function accepted(origin: string, token: string): Promise<{ code: number; output: string }> {
  const files = ACCEPTED.flatMap((name) => ['--files', `interface/${name}`])
  const child = spawn(process.execPath, [RUN_TYPESCRIPT, 'bin/test.ts', 'acceptance', ...files], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      CORE_URL: `${origin}/core`,
      STORAGE_URL: `${origin}/storage`,
      TELEMETRY_URL: `${origin}/telemetry`,
      MESSENGER_URL: `${origin}/messenger`,
      ACCESS_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk))
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk))
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}
